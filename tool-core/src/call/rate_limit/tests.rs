use std::time::Duration;

use tokio::time::advance;

use super::RateLimit;

const SECOND: Duration = Duration::from_secs(1);

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[tokio::test(start_paused = true)]
async fn keys_are_limited_each_on_their_own() {
    let limit = RateLimit::new(10, seconds(60));
    for key in 0..10_000 {
        for _ in 0..10 {
            assert_eq!(limit.check_key(key), Ok(()));
        }
        assert_eq!(limit.check_key(key), Err(seconds(6)));
    }
    assert_eq!(limit.limiter.len(), 10_000);
    advance(seconds(5)).await;
    assert_eq!(limit.check_key(1), Err(SECOND));
    advance(SECOND).await;
    for key in 0..10_000 {
        assert_eq!(limit.check_key(key), Ok(()), "the time that was said has come");
        assert_eq!(limit.check_key(key), Err(seconds(6)), "one call is available, and not more");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_does_not_count() {
    let limit = RateLimit::new(1, seconds(60));
    limit.check_key(1).unwrap();
    for _ in 0..1_000 {
        assert_eq!(limit.check_key(1), Err(seconds(60)));
    }
    advance(seconds(60)).await;
    assert_eq!(limit.check_key(1), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_smaller_or_larger_than_the_limit() {
    for burst in [1, 3, 100] {
        let limit = RateLimit::new(10, seconds(10)).burst(burst);
        let at_once = (0..1_000).take_while(|_| limit.check_key(1).is_ok()).count();
        assert_eq!(at_once, burst as usize);
        assert_eq!(limit.check_key(1), Err(SECOND));
    }
}

/// However many other keys come, a key in use keeps its count, and the table its size.
#[tokio::test(start_paused = true)]
async fn a_flood_of_keys_resets_no_limit() {
    let limit = RateLimit::new(2, seconds(100)).keys(100);
    for _ in 0..2 {
        limit.check_key(7).unwrap();
    }
    let flood = |keys: std::ops::Range<u64>| keys.filter(|key| limit.check_key(*key).is_ok()).count();
    // 99 others have their own limit, and all further ones have one together.
    assert_eq!(flood(1_000..11_000), 99 + 2);
    assert_eq!(limit.limiter.len(), 100);
    assert_eq!(limit.check_key(7), Err(seconds(50)));
    assert_eq!(limit.check_key(99_999), Err(seconds(50)), "what it must wait for is right, too");
    // Over and over.
    for _ in 0..49 {
        advance(SECOND).await;
        flood(20_000..21_000);
        assert!(limit.check_key(7).is_err());
    }
    advance(SECOND).await;
    assert_eq!(limit.check_key(7), Ok(()));
    assert_eq!(limit.limiter.len(), 100);
}

#[tokio::test(start_paused = true)]
async fn idle_keys_make_room() {
    let limit = RateLimit::new(1, seconds(10)).keys(100);
    let admit = |keys: std::ops::Range<u64>| keys.filter(|key| limit.check_key(*key).is_ok()).count();
    assert_eq!(admit(0..1_000), 100 + 1);
    advance(seconds(21)).await;
    assert_eq!(admit(5_000..5_050), 50);
    assert_eq!(limit.limiter.len(), 50, "the others are forgotten");
    assert_eq!(admit(5_000..5_050), 0);
}

#[tokio::test(start_paused = true)]
async fn extreme_limits_do_not_overflow() {
    for (calls, per, burst) in [
        (u32::MAX, Duration::MAX, u32::MAX),
        (1, Duration::MAX, u32::MAX),
        (u32::MAX, Duration::ZERO, 0),
        (1, Duration::from_nanos(1), 1),
    ] {
        let limit = RateLimit::new(calls, per).burst(burst).keys(0);
        assert_eq!(limit.check_key(1), Ok(()), "{limit:?}");
        limit.check_key(1).map_or_else(|wait| assert!(!wait.is_zero()), |()| ());
    }
}

#[test]
#[should_panic(expected = "at least one call")]
fn a_limit_of_nothing_is_refused() {
    let _ = RateLimit::new(0, SECOND);
}
