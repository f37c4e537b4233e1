//! `resources/list`, `resources/templates/list` and `resources/read`.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{CacheScope, ErrorCode, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use tool_core::{ResourceBody, ToolDefinition, adapter};

use crate::catalog::Target;
use crate::catalog::routes::RouteMatch;
use crate::catalog::view::CatalogView;
use crate::custom::{Request, RequestHandler, ResourceInfo, handle};
use crate::elicitation::{CallIdentity, Round};
use crate::handlers::{CallOutcome, Handler};
use crate::paging::page;
use crate::protocol::{RequestContext, RpcResponse, RpcResult, internal_error, resource_not_found};
use crate::render::read_error::read_error;
use crate::render::resource_contents::{arguments, bad_variable, contents, failed, too_large, uri_data};
use crate::render::stored_result::ResultUri;
use crate::render::tool_page::{ToolPage, ToolRow};
use crate::render::ui_page;

impl Handler {
    pub(crate) async fn resources(
        &self,
        cursor: Option<&str>,
        cx: &RequestContext,
    ) -> RpcResult<RpcResponse> {
        let view = self.view(cx).await?;
        let all = view.catalog.resources().resources.iter();
        let visible: Vec<&Resource> =
            all.filter(|(target, _)| view.is_accessible(target)).map(|(_, resource)| resource).collect();
        let size = view.catalog.settings.page_size;
        let page = page("resources/list", visible, |it| &it.uri, size, cursor)?;
        Ok(self.list("resources", page, cx))
    }

    pub(crate) async fn resource_templates(
        &self,
        cursor: Option<&str>,
        cx: &RequestContext,
    ) -> RpcResult<RpcResponse> {
        let view = self.view(cx).await?;
        let all = view.catalog.resources().templates.iter();
        let visible: Vec<&ResourceTemplate> =
            all.filter(|(target, _)| view.is_accessible(target)).map(|(_, template)| template).collect();
        let size = view.catalog.settings.page_size;
        let page = page("resources/templates/list", visible, |it| &it.uri_template, size, cursor)?;
        Ok(self.list("resourceTemplates", page, cx))
    }

    pub(crate) async fn read(
        &self,
        uri: &str,
        round: Round<'_>,
        cx: &RequestContext,
    ) -> RpcResult<CallOutcome<ReadResourceResult>> {
        self.read_at(uri, round, cx).await?.and_then(|mut result| {
            self.sign(&mut result.meta, cx);
            if cx.scope() == CacheScope::Private {
                result.cache_scope = Some(CacheScope::Private);
            }
            if !cx.era.is_modern() {
                (result.ttl_ms, result.cache_scope) = (None, None);
            }
            Ok(result)
        })
    }

    async fn read_at(
        &self,
        uri: &str,
        round: Round<'_>,
        cx: &RequestContext,
    ) -> RpcResult<CallOutcome<ReadResourceResult>> {
        let not_found = || resource_not_found(uri);
        if let Some(stored) = ResultUri::parse(uri, &self.views.settings.scheme) {
            let (results, caller) = self.views.results(cx.principal()).await.ok_or_else(not_found)?;
            return stored.read(uri, &results, &caller).await.map(CallOutcome::Done);
        }
        let view = self.view(cx).await?;
        let settings = &view.catalog.settings;
        let result = match view.catalog.resources().routes.find(uri).ok_or_else(not_found)? {
            // A caller that may not see a tool does not see errors about its variables either.
            RouteMatch::InvalidVariable(Target::Tool(name), _)
                if !adapter::contains(&view.registry, name) =>
            {
                return Err(not_found());
            }
            RouteMatch::InvalidVariable(_, bad) => {
                return Err(bad_variable(uri, &bad.variable, bad.to_string()));
            }
            RouteMatch::Found(Target::Tools, _) => {
                let row = |tool| ToolRow::new(tool, settings.description(tool));
                self.fresh_json(uri, &view.callable().map(row).collect::<Vec<_>>())
            }
            RouteMatch::Found(Target::Page, values) => {
                let name = values.first().map_or("", |(_, value)| value);
                let tool = view.registry.get(name).filter(|_| view.registry.check_access(name).is_ok());
                let tool = tool.ok_or_else(not_found)?;
                let page =
                    ToolPage::new(tool, settings.description(tool), settings.file.examples(tool.name()));
                self.fresh_json(uri, &page)
            }
            RouteMatch::Found(Target::Tool(name), values) => {
                return self.read_tool(uri, name, &values, round, &view, cx).await;
            }
            RouteMatch::Found(Target::Ui(name), _) => {
                let tool = view.registry.get(name).filter(|_| view.registry.check_access(name).is_ok());
                let page = ui_page::read(uri, tool.and_then(ToolDefinition::ui).ok_or_else(not_found)?);
                Ok(page.with_ttl_ms(self.views.fresh_for_ms()).with_cache_scope(cx.scope()))
            }
            RouteMatch::Found(Target::Result, _) => return Err(not_found()),
            RouteMatch::Found(&Target::Resource(position), _) => {
                let resource = settings.resources.get(position).ok_or_else(not_found)?;
                read_dynamic(uri, &resource.handler, &resource.info, Vec::new(), &view).await
            }
            RouteMatch::Found(&Target::Template(position), values) => {
                let template = settings.templates.get(position).ok_or_else(not_found)?;
                read_dynamic(uri, &template.handler, &template.info, values, &view).await
            }
        };
        result.map(CallOutcome::Done)
    }

    /// Returns a value about the registry as JSON. It is fresh as long as the lists are.
    fn fresh_json<T: Serialize + ?Sized>(&self, uri: &str, value: &T) -> RpcResult<ReadResourceResult> {
        let text = serde_json::to_string(value).map_err(|error| {
            tracing::error!(%error, uri, "a resource cannot be serialized");
            internal_error()
        })?;
        let contents = ResourceContents::text(text, uri).with_mime_type("application/json");
        let result = ReadResourceResult::new(vec![contents]);
        Ok(result.with_ttl_ms(self.views.fresh_for_ms()).with_cache_scope(CacheScope::Public))
    }

    async fn read_tool(
        &self,
        uri: &str,
        name: &str,
        values: &[(String, String)],
        round: Round<'_>,
        view: &CatalogView,
        cx: &RequestContext,
    ) -> RpcResult<CallOutcome<ReadResourceResult>> {
        let tool = view.registry.get(name).ok_or_else(|| resource_not_found(uri))?;
        let arguments = arguments(tool, values);
        let (method, principal) = ("resources/read", view.registry.principal().id());
        let call = CallIdentity { method, name, arguments: arguments.as_bytes(), principal };
        // A large resource is not shortened.
        let options = view.options.clone().full_results();
        let run = async |options: &_| view.registry.call_with(name, arguments.as_bytes(), options).await;
        let outcome = self.run(call, round, options, cx, run, |reply| reply.result.as_ref().err()).await?;
        if let CallOutcome::Done(reply) = &outcome {
            cx.record_denial(&view.registry, name, &reply.result);
        }
        outcome.and_then(|reply| match reply.result {
            Ok(output) => {
                let contents = contents(uri, &output);
                too_large(&contents, uri, tool, view)
                    .map_or_else(|| Ok(with_cache_hints(ReadResourceResult::new(contents), view, tool)), Err)
            }
            Err(failure) => {
                Err(failed(&failure, reply.call_id, uri, tool, view.catalog.pattern(tool).as_ref()))
            }
        })
    }
}

async fn read_dynamic(
    uri: &str,
    handler: &RequestHandler<ResourceBody>,
    info: &ResourceInfo,
    values: Vec<(String, String)>,
    view: &CatalogView,
) -> RpcResult<ReadResourceResult> {
    let request = Request::new(uri, values.into_iter().collect(), view.registry.principal().clone());
    let body = handle(handler, request).await.map_err(|failure| {
        let message = failure.message().to_owned();
        read_error(&failure, message, uri_data(uri), ErrorCode::RESOURCE_NOT_FOUND)
    })?;
    let contents = match body {
        ResourceBody::Text(text) => ResourceContents::text(text, uri),
        ResourceBody::Blob(bytes) => {
            ResourceContents::blob(BASE64.encode(bytes), uri).with_mime_type("application/octet-stream")
        }
    };
    let contents = match &info.mime_type {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Adds the cache duration that the tool declares. The result is public unless it depends on the caller.
fn with_cache_hints(
    result: ReadResourceResult,
    view: &CatalogView,
    tool: &ToolDefinition,
) -> ReadResourceResult {
    let ttl = tool.cache().unwrap_or(Duration::ZERO);
    let is_private = ttl.is_zero() || adapter::depends_on_caller(&view.registry, tool);
    let scope = if is_private { CacheScope::Private } else { CacheScope::Public };
    result.with_ttl_ms(ttl.as_millis().try_into().unwrap_or(u64::MAX)).with_cache_scope(scope)
}
