//! What the application decided about its server, as far as answers depend on it.

use crate::surfaces::Surfaces;
use crate::uri::Scheme;

/// Shared by all that is answered.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) scheme: Scheme,
    pub(crate) surfaces: Surfaces,
}
