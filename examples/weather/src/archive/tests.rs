//! Facts of the archive, checked by hand.

use jiff::ToSpan;
use jiff::civil::date;

use super::*;

const EVERYTHING: Query = Query {
    location: None,
    from: date(2012, 1, 1),
    to: date(2015, 12, 31),
    weather: None,
    limit: usize::MAX,
};

#[test]
fn contains_every_day_of_both_cities_once() {
    let archive = Archive::embedded();
    let mut days = archive.days.iter();
    for date in date(2012, 1, 1).series(1.day()).take(1461) {
        for city in [City::NewYork, City::Seattle] {
            assert_eq!(days.next().map(key), Some((date, city)));
        }
    }
    assert!(days.next().is_none());
    assert_eq!(archive.first_date(), date(2012, 1, 1));
    assert_eq!(archive.last_date(), date(2015, 12, 31));
}

#[test]
fn returns_the_row_of_a_day() {
    let archive = Archive::embedded();
    let fourth = date(2014, 7, 4);
    for (location, figures, weather) in [
        (City::Seattle, [0.0, 23.9, 13.9, 3.6], Weather::Sun),
        (City::NewYork, [8.1, 24.4, 18.9, 6.7], Weather::Rain),
    ] {
        let [precipitation, temp_max, temp_min, wind] = figures;
        let row = Observation { location, date: fourth, precipitation, temp_max, temp_min, wind, weather };
        assert_eq!(archive.get(location, fourth), Ok(&row));
    }
}

#[test]
fn reports_the_available_days() {
    for (outside, text) in [(date(2011, 12, 31), "2011-12-31"), (date(2016, 1, 1), "2016-01-01")] {
        let error = Archive::embedded().get(City::Seattle, outside).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("no observation on {text}: the archive covers 2012-01-01 to 2015-12-31")
        );
    }
}

#[test]
fn sorts_days_and_includes_both_ends() {
    let found =
        Archive::embedded().find(Query { from: date(2013, 12, 20), to: date(2013, 12, 21), ..EVERYTHING });
    let found = found.unwrap();
    assert_eq!(found.total, 4);
    let listed: Vec<String> =
        found.days.iter().map(|day| format!("{} {} {}", day.date, day.location, day.weather)).collect();
    assert_eq!(
        listed,
        [
            "2013-12-20 New York sun",
            "2013-12-20 Seattle snow",
            "2013-12-21 New York fog",
            "2013-12-21 Seattle rain",
        ]
    );
}

#[test]
fn combines_filters_and_counts_all_matches() {
    let archive = Archive::embedded();
    let snow = Query {
        location: Some(City::Seattle),
        to: date(2012, 1, 31),
        weather: Some(Weather::Snow),
        limit: 2,
        ..EVERYTHING
    };
    let found = archive.find(snow).unwrap();
    assert_eq!(found.total, 7);
    let dates: Vec<Date> = found.days.iter().map(|day| day.date).collect();
    assert_eq!(dates, [date(2012, 1, 14), date(2012, 1, 15)]);

    let none = archive.find(Query { limit: 0, ..snow }).unwrap();
    assert_eq!((none.days.len(), none.total), (0, 7));
    let rain = Query { weather: Some(Weather::Rain), ..EVERYTHING };
    assert_eq!(archive.find(rain).unwrap().total, 1087);
}

#[test]
fn rejects_reversed_ranges_but_not_empty_ones() {
    let archive = Archive::embedded();
    let (from, to) = (date(2016, 1, 1), date(2016, 12, 31));
    let found = archive.find(Query { from, to, ..EVERYTHING }).unwrap();
    assert_eq!((found.days.len(), found.total), (0, 0));

    let (from, to) = (to, from);
    let error = archive.find(Query { from, to, ..EVERYTHING }).unwrap_err();
    assert_eq!(error.to_string(), "`from` is 2016-12-31, which is after `to`, 2016-01-01");
}

#[test]
fn lists_the_columns_of_the_header() {
    let names: Vec<String> = Archive::columns().into_iter().map(|column| column.name).collect();
    assert_eq!(Archive::CSV.lines().next(), Some(names.join(",").as_str()));
}

#[test]
fn rejects_damaged_and_empty_tables() {
    let header = Archive::CSV.lines().next().unwrap();
    assert!(Archive::parse(header).is_err());
    let row = format!("{header}\nSeattle,2012-01-01,0.0,12.8,5.0,4.7,hail\n");
    let error = Archive::parse(&row).unwrap_err().to_string();
    assert!(error.contains("line: 2") && error.contains("hail"), "{error}");
}
