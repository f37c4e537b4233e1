//! Calls that begin as soon as their line is read, each in a task of its own, so that reading goes on where the runtime has a
//! thread for it; and lists, which are there already.

use std::sync::Arc;

use axum::body::Bytes;
use rmcp::model::RequestId;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::task::TaskTracker;

use crate::envelope::{Asks, EitherMeta, InSession, Usual};
use crate::era::Era;
use crate::handler::{Carried, EarlyCall, Handler, Origin, Way, response};
use crate::in_flight::Held;
use crate::session::Acquaintance;
use crate::stdio::writing::Writing;

/// A call that has begun and takes its time: its line, and what it is held by.
pub(super) struct Late {
    pub(super) line: Bytes,
    pub(super) call: Carried,
    pub(super) held: Held,
}

/// The calls of a client that have begun, as long as rmcp has not heard of them.
pub(super) struct Early {
    handler: Arc<Handler>,
    /// Who the client of the session is.
    pub(super) client: Acquaintance,
    /// Nothing at the end of input.
    late: Option<UnboundedSender<Late>>,
    arrived: UnboundedReceiver<Late>,
    /// Those that are answered here.
    tasks: TaskTracker,
}

impl Early {
    pub(super) fn new(handler: Arc<Handler>) -> Self {
        let (late, arrived) = unbounded_channel();
        Early {
            handler,
            client: Acquaintance::default(),
            late: Some(late),
            arrived,
            tasks: TaskTracker::new(),
        }
    }

    /// Begins the request that a line is, under the name that it takes; nothing where it is none that begins here, or needs a
    /// second look.
    pub(super) fn begin<W: AsyncWrite + Send + Unpin + 'static>(
        &self,
        line: &Bytes,
        name: impl FnOnce(&RequestId) -> Option<Held>,
        writing: &Writing<W>,
    ) -> Option<()> {
        let late = self.late.clone()?;
        let Usual { id, asks, meta } = Usual::<EitherMeta<'_>>::read(line)?;
        let meta = meta.unwrap_or_default();
        let (era, way) = match meta.alone() {
            Some(capabilities) => (Era::modern(), Way::Alone { capabilities }),
            None => {
                let InSession { token } = meta.in_session()?;
                let client = self.client.client()?;
                (client.era.clone(), Way::InSession { client, token })
            }
        };
        let Asks::Call { name: tool, arguments } = asks else {
            return self.list(era, id, name, writing.clone());
        };
        let arguments = line.slice_ref(arguments.as_bytes());
        let held = name(&id)?;
        let begun = self.handler.begin(EarlyCall { name: tool, arguments, origin: Origin::Stdio, way })?;
        let (line, writing) = (line.clone(), writing.clone());
        self.tasks.spawn(async move {
            if !held.is_held() {
                return;
            }
            match begun.at_once().await {
                // One that was taken back gets no answer, and is dropped as any other that is.
                _ if !held.is_held() => {}
                Ok(outcome) => {
                    // Whether it takes its time is known, however long its answer is not read.
                    drop(late);
                    let _unread = writing.unread_one();
                    // The client may use its name again as soon as it reads the answer.
                    drop(held);
                    let written = writing.write(response(outcome, id, &era), None).await;
                    if let Err(error) = written {
                        tracing::debug!(%error, "the client does not read its answer");
                    }
                }
                Err(begun) => {
                    let call = Carried::new(begun, &held);
                    let _ = late.send(Late { line, call, held });
                }
            }
        });
        Some(())
    }

    /// Answers a request for the list.
    fn list<W: AsyncWrite + Send + Unpin + 'static>(
        &self,
        era: Era,
        id: RequestId,
        name: impl FnOnce(&RequestId) -> Option<Held>,
        writing: Writing<W>,
    ) -> Option<()> {
        if !self.handler.lists_directly(&era) {
            return None;
        }
        let held = name(&id)?;
        let (handler, request) = (Arc::clone(&self.handler), self.handler.offers().request());
        self.tasks.spawn(async move {
            let listed = handler.listed_directly(None, &era, id).await;
            drop(request);
            if !held.is_held() {
                return;
            }
            let _unread = writing.unread_one();
            drop(held);
            let written = match listed {
                Ok(pieces) => writing.write_text(&pieces).await,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = written {
                tracing::debug!(%error, "the client does not read its answer");
            }
        });
        Some(())
    }

    /// The next call that takes its time; waits for ever while there is none.
    pub(super) async fn late(&mut self) -> Option<Late> {
        self.arrived.recv().await
    }

    /// Whether no call is begun any more.
    pub(super) fn has_ended(&self) -> bool {
        self.late.is_none()
    }

    /// Begins no call any more: once all have come to their end or were taken over, there is none left.
    pub(super) fn end(&mut self) {
        self.late = None;
        self.tasks.close();
    }

    /// Waits until all is written that is answered here, after the end.
    pub(super) async fn written(&self) {
        self.tasks.wait().await;
    }
}
