//! `resources/list`, `resources/templates/list` and `resources/read`.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde::Serialize;
use serde_json::json;
use tool_core::{ResourceBody, ToolDefinition, adapter};

use crate::catalog::Target;
use crate::catalog::routes::Found;
use crate::catalog::view::CatalogView;
use crate::custom::{About, Answering, Request, ask};
use crate::elicitation::Round;
use crate::handlers::{Answered, Call, Handler};
use crate::paging::{Paged, page};
use crate::protocol::{RequestContext, resource_not_found};
use crate::render::resource_contents::{arguments, bad_variable, contents, failed, refused, too_large};
use crate::render::stored_result::ResultUri;
use crate::render::tool_page::{Page, Row};

impl Handler {
    pub(crate) async fn resources(
        &self,
        cursor: Option<String>,
        cx: &RequestContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        let view = self.view(cx).await?;
        let all = view.catalog.places().resources.iter();
        let shown = all.filter(|(target, _)| view.shows(target)).map(|(_, resource)| resource).collect();
        let size = view.catalog.settings().page_size;
        let page: Paged<&Resource> = page("resources/list", shown, |it| &it.uri, size, cursor.as_deref())?;
        let mut list = ListResourcesResult::with_all_items(page.items.into_iter().cloned().collect());
        list.next_cursor = page.next;
        self.sign(&mut list.meta, cx);
        if cx.era.is_modern() {
            list = list.with_ttl_ms(self.views.fresh_for_ms()).with_cache_scope(cx.scope());
        }
        Ok(list)
    }

    pub(crate) async fn resource_templates(
        &self,
        cursor: Option<String>,
        cx: &RequestContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let view = self.view(cx).await?;
        let all = view.catalog.places().templates.iter();
        let shown = all.filter(|(target, _)| view.shows(target)).map(|(_, template)| template).collect();
        let (method, size) = ("resources/templates/list", view.catalog.settings().page_size);
        let page: Paged<&ResourceTemplate> =
            page(method, shown, |it| &it.uri_template, size, cursor.as_deref())?;
        let mut list = ListResourceTemplatesResult::with_all_items(page.items.into_iter().cloned().collect());
        list.next_cursor = page.next;
        self.sign(&mut list.meta, cx);
        if cx.era.is_modern() {
            list = list.with_ttl_ms(self.views.fresh_for_ms()).with_cache_scope(cx.scope());
        }
        Ok(list)
    }

    pub(crate) async fn read(
        &self,
        uri: &str,
        round: Round<'_>,
        cx: &RequestContext,
    ) -> Result<Answered<ReadResourceResult>, ErrorData> {
        let mut result = match self.read_at(uri, round, cx).await? {
            Answered::Reply(result) => result,
            asks => return Ok(asks),
        };
        self.sign(&mut result.meta, cx);
        if cx.scope() == CacheScope::Private {
            result.cache_scope = Some(CacheScope::Private);
        }
        if !cx.era.is_modern() {
            (result.ttl_ms, result.cache_scope) = (None, None);
        }
        Ok(Answered::Reply(result))
    }

    async fn read_at(
        &self,
        uri: &str,
        round: Round<'_>,
        cx: &RequestContext,
    ) -> Result<Answered<ReadResourceResult>, ErrorData> {
        if let Some(asked) = ResultUri::parse(uri, self.views.scheme()) {
            let results = self.views.results(cx.caller.as_ref().map(|caller| &caller.principal)).await;
            let (results, caller) = results.ok_or_else(|| resource_not_found(uri))?;
            return asked.read(uri, &results, &caller).await.map(Answered::Reply);
        }
        let view = self.view(cx).await?;
        let settings = view.catalog.settings();
        let found = view.catalog.places().routes.find(uri).ok_or_else(|| resource_not_found(uri))?;
        match found {
            // Whoever may not know of a tool learns nothing of its variables either.
            Found::Bad(Target::Tool(name), _) if !adapter::contains(&view.registry, name) => {
                Err(resource_not_found(uri))
            }
            Found::Bad(_, bad) => Err(bad_variable(uri, &bad.variable, bad.to_string())),
            Found::Here(Target::Tools, _) => {
                let rows: Vec<Row<'_>> =
                    view.callable().map(|tool| Row::new(tool, settings.description(tool))).collect();
                Ok(Answered::Reply(self.fresh(as_json(uri, &rows)?)))
            }
            Found::Here(Target::Page, values) => {
                let name = values.first().map_or("", |(_, value)| value);
                let tool = view.registry.get(name).filter(|_| view.registry.check_access(name).is_ok());
                let tool = tool.ok_or_else(|| resource_not_found(uri))?;
                let page = Page::new(tool, settings.description(tool), settings.examples(tool));
                Ok(Answered::Reply(self.fresh(as_json(uri, &page)?)))
            }
            Found::Here(Target::Tool(name), values) => {
                self.read_tool(uri, name, &values, round, &view, cx).await
            }
            Found::Here(Target::Result, _) => Err(resource_not_found(uri)),
            Found::Here(&Target::Resource(position), _) => {
                let resource = settings.resources.get(position).ok_or_else(|| resource_not_found(uri))?;
                let read = read_written(uri, &resource.read, &resource.about, Vec::new(), &view).await;
                read.map(Answered::Reply)
            }
            Found::Here(&Target::Template(position), values) => {
                let template = settings.templates.get(position).ok_or_else(|| resource_not_found(uri))?;
                let read = read_written(uri, &template.read, &template.about, values, &view).await;
                read.map(Answered::Reply)
            }
        }
    }

    /// The registry itself, which stays as it is as long as the lists do.
    fn fresh(&self, result: ReadResourceResult) -> ReadResourceResult {
        result.with_ttl_ms(self.views.fresh_for_ms()).with_cache_scope(CacheScope::Public)
    }

    async fn read_tool(
        &self,
        uri: &str,
        name: &str,
        values: &[(String, String)],
        round: Round<'_>,
        view: &CatalogView,
        cx: &RequestContext,
    ) -> Result<Answered<ReadResourceResult>, ErrorData> {
        let tool = view.registry.get(name).ok_or_else(|| resource_not_found(uri))?;
        let arguments = arguments(tool, values);
        // A resource is read by who can take it.
        let call = Call { method: "resources/read", name, arguments: arguments.as_bytes(), round };
        let reply = match self.invoke(&view.registry, view.options.clone().full_results(), call, cx).await? {
            Answered::Reply(reply) => reply,
            Answered::Asks(asked) => return Ok(Answered::Asks(asked)),
        };
        match reply.result {
            Ok(output) => {
                let contents = contents(uri, &output);
                match too_large(&contents, uri, tool, view) {
                    Some(error) => Err(error),
                    None => Ok(Answered::Reply(hinted(ReadResourceResult::new(contents), tool))),
                }
            }
            Err(failure) => {
                Err(failed(&failure, reply.call_id, uri, tool, view.catalog.pattern(tool).as_ref()))
            }
        }
    }
}

async fn read_written(
    uri: &str,
    read: &Answering<ResourceBody>,
    about: &About,
    values: Vec<(String, String)>,
    view: &CatalogView,
) -> Result<ReadResourceResult, ErrorData> {
    let request = Request::new(uri, values.into_iter().collect(), view.registry.principal().clone());
    let body = ask(read, request).await;
    let body =
        body.map_err(|failure| refused(&failure, failure.message().to_owned(), json!({"uri": uri})))?;
    let contents = match body {
        ResourceBody::Text(text) => ResourceContents::text(text, uri),
        ResourceBody::Blob(bytes) => {
            ResourceContents::blob(BASE64.encode(bytes), uri).with_mime_type("application/octet-stream")
        }
    };
    let contents = match &about.mime_type {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn as_json<T: Serialize + ?Sized>(uri: &str, value: &T) -> Result<ReadResourceResult, ErrorData> {
    let text = serde_json::to_string(value).map_err(|error| {
        tracing::error!(%error, uri, "it cannot be written as JSON");
        ErrorData::internal_error("internal error", None)
    })?;
    let contents = ResourceContents::text(text, uri).with_mime_type("application/json");
    Ok(ReadResourceResult::new(vec![contents]))
}

/// As long as the declaration says; for everybody, unless it depends on who asks.
fn hinted(result: ReadResourceResult, tool: &ToolDefinition) -> ReadResourceResult {
    let ttl = tool.cache().unwrap_or(Duration::ZERO);
    let is_private = ttl.is_zero() || tool.permission().is_some() || tool.guarded();
    let scope = if is_private { CacheScope::Private } else { CacheScope::Public };
    result.with_ttl_ms(ttl.as_millis().try_into().unwrap_or(u64::MAX)).with_cache_scope(scope)
}
