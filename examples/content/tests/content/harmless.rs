//! Reading tools do not modify the site with any input.

use content::{Role, Settings, SigningKey, Site};
use serde_json::json;
use tool_core::{Principal, Registry, testing};

use crate::on_both;
use crate::store::Store;

fn administrator() -> Principal {
    Role::Administrator.permissions().iter().copied().fold(Principal::new("otto"), Principal::grant)
}

fn registry(site: Site) -> Registry {
    let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
    content::builder(site, settings).local(administrator()).build().unwrap()
}

mod with {
    super::on_both![leaves_the_site_unchanged_when_reading];
}

async fn leaves_the_site_unchanged_when_reading(store: &Store) {
    let place = store.place().await;
    let registry = registry(place.site());
    // The first call creates the site.
    registry.call("site_overview", json!({})).await.unwrap();
    let before = place.dump().await;

    let trials = testing::run_non_modifying(&registry).await;
    trials.assert_harmless();
    assert_eq!(trials.iter().count(), registry.tools().filter(|tool| !tool.modifies()).count());
    assert_eq!(place.dump().await, before);

    registry
        .call("translate_node", json!({"id": 1, "langcode": "de", "title": "x", "body": "y"}))
        .await
        .unwrap();
    assert_ne!(place.dump().await, before, "a change is visible in the dump");
}
