//! Text in Markdown that means nothing but itself.

use crate::style::neutral;

/// Returns a text in a cell of a table: no character of it ends the cell, the row, or the text.
pub(crate) fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for c in neutral(text.trim()).chars() {
        match c {
            '\n' => cell.push_str("<br>"),
            '\t' => cell.push(' '),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            '|' | '`' | '\\' | '*' | '_' | '[' | ']' | '~' | '#' | '!' | '$' => {
                cell.push('\\');
                cell.push(c);
            }
            c => cell.push(c),
        }
    }
    cell
}

/// Returns a text as a block of Markdown without HTML.
pub(crate) fn block(text: &str) -> String {
    neutral(text.trim()).replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_119_escapes_markdown_cells() {
        assert_eq!(
            cell("a|b\nc `d` <script>alert(1)</script> & \\|"),
            "a\\|b<br>c \\`d\\` &lt;script&gt;alert(1)&lt;/script&gt; &amp; \\\\\\|"
        );
        assert_eq!(cell("[x](javascript:y) ![z] *_~#$"), "\\[x\\](javascript:y) \\!\\[z\\] \\*\\_\\~\\#\\$");
        assert_eq!(cell("\u{1b}[2J\u{202e}"), "\\\\u001b\\[2J\\\\u202e");
        assert_eq!(block("# Title\n<script> & `a`"), "# Title\n&lt;script> &amp; `a`");
    }
}
