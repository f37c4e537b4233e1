//! `resources/list`, `resources/templates/list` and `resources/read`.

use std::time::Duration;

use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, ResourceContents,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use tool_core::ToolDefinition;

use crate::catalogue::Target;
use crate::handler::{FRESH_FOR_MS, Handler};
use crate::offer::Offer;
use crate::page::{Page, Row};
use crate::reading::{arguments, bad_variable, contents, failed, not_found};
use crate::routes::Found;

impl Handler {
    pub(super) async fn resources(&self) -> Result<ListResourcesResult, ErrorData> {
        let offer = self.offers.now().await?;
        let all = offer.catalogue.places().resources.iter();
        let shown = all.filter(|(target, _)| offer.shows(target)).map(|(_, resource)| resource.clone());
        Ok(ListResourcesResult::with_all_items(shown.collect()))
    }

    pub(super) async fn resource_templates(&self) -> Result<ListResourceTemplatesResult, ErrorData> {
        let offer = self.offers.now().await?;
        let all = offer.catalogue.places().templates.iter();
        let shown = all.filter(|(target, _)| offer.shows(target)).map(|(_, template)| template.clone());
        Ok(ListResourceTemplatesResult::with_all_items(shown.collect()))
    }

    pub(super) async fn read(
        &self,
        uri: &str,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let offer = self.offers.now().await?;
        let found = offer.catalogue.places().routes.find(uri).ok_or_else(|| not_found(uri))?;
        match found {
            Found::Bad(bad) => Err(bad_variable(uri, &bad.variable, bad.to_string())),
            Found::Here(Target::Tools, _) => {
                let rows: Vec<Row<'_>> =
                    offer.callable().map(|tool| Row::new(tool, tool.description())).collect();
                Ok(fresh(json(uri, &rows)?))
            }
            Found::Here(Target::Page, values) => {
                let name = values.first().map_or("", |(_, value)| value);
                let known = offer.registry.get(name).filter(|_| offer.registry.admits(name).is_ok());
                let tool = known.ok_or_else(|| not_found(uri))?;
                Ok(fresh(json(uri, &Page::new(tool, tool.description(), &[]))?))
            }
            Found::Here(Target::Tool(name), values) => self.read_tool(uri, name, &values, &offer, cx).await,
        }
    }

    async fn read_tool(
        &self,
        uri: &str,
        name: &str,
        values: &[(String, String)],
        offer: &Offer,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let tool = offer.registry.get(name).ok_or_else(|| not_found(uri))?;
        let arguments = arguments(tool, values);
        let reply = self.invoke(&offer.registry, name, arguments.as_bytes(), cx).await?;
        match reply.result {
            Ok(output) => Ok(hinted(ReadResourceResult::new(contents(uri, &output)), tool)),
            Err(failure) => {
                Err(failed(&failure, reply.call_id, uri, tool, offer.catalogue.pattern(tool).as_ref()))
            }
        }
    }
}

fn json<T: Serialize + ?Sized>(uri: &str, value: &T) -> Result<ReadResourceResult, ErrorData> {
    let text = serde_json::to_string(value).map_err(|error| {
        tracing::error!(%error, uri, "it cannot be written as JSON");
        ErrorData::internal_error("internal error", None)
    })?;
    let contents = ResourceContents::text(text, uri).with_mime_type("application/json");
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The registry itself, which stays as it is as long as the lists do.
fn fresh(result: ReadResourceResult) -> ReadResourceResult {
    result.with_ttl_ms(FRESH_FOR_MS).with_cache_scope(CacheScope::Public)
}

/// As long as the declaration says; for everybody, unless it depends on who asks.
fn hinted(result: ReadResourceResult, tool: &ToolDefinition) -> ReadResourceResult {
    let ttl = tool.cache().unwrap_or(Duration::ZERO);
    let is_private = ttl.is_zero() || tool.permission().is_some() || tool.guarded();
    let scope = if is_private { CacheScope::Private } else { CacheScope::Public };
    result.with_ttl_ms(ttl.as_millis().try_into().unwrap_or(u64::MAX)).with_cache_scope(scope)
}
