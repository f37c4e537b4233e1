//! Archives of files in the format of `tar`.

/// The length of a block, to which each file is padded.
const BLOCK: usize = 512;

/// An archive (POSIX.1-1988, `ustar`). It has no dates, so that the same files give the same bytes.
///
/// ```
/// let mut archive = content::archive::Archive::default();
/// archive.add("1.html", "<h1>Eels</h1>\n");
/// let bytes = archive.finish();
/// assert_eq!((bytes.len(), &bytes[512..525]), (4 * 512, b"<h1>Eels</h1>".as_slice()));
/// ```
#[derive(Debug, Default)]
pub struct Archive(Vec<u8>);

impl Archive {
    /// Adds a file. Of a name, the first 100 bytes count.
    pub fn add(&mut self, name: &str, text: &str) {
        let mut header = [0; BLOCK];
        let mut put = |at: usize, value: &[u8]| header[at..at + value.len()].copy_from_slice(value);
        put(0, &name.as_bytes()[..name.len().min(100)]);
        put(100, b"0000644\0");
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        put(124, format!("{:011o}\0", text.len()).as_bytes());
        put(136, b"00000000000\0");
        // The sum is that of a header with spaces in its place.
        put(148, b"        ");
        put(156, b"0");
        put(257, b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.extend(header);
        self.0.extend(text.as_bytes());
        self.0.resize(self.0.len().next_multiple_of(BLOCK), 0);
    }

    /// Returns the bytes of the archive.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 2 * BLOCK, 0);
        self.0
    }
}
