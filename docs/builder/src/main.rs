//! Builds the guides in `docs/src` as HTML, in `target/docs`.
//!
//! Links that leave the book, such as one to a README, lead to the repository if `book.toml` names its address
//! (`output.html.git-repository-url`). Otherwise only their text is left: the built pages stand alone.

use std::error::Error;
use std::path::Path;

use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;
use pulldown_cmark::{Event, Options, Parser, Tag};

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut book = MDBook::load(docs)?;
    let repository = book.config.get::<String>("output.html.git-repository-url")?;
    book.book.for_each_mut(|item| {
        if let BookItem::Chapter(chapter) = item {
            chapter.content = without_outer_links(&chapter.content, repository.as_deref());
        }
    });
    book.build()?;
    Ok(())
}

/// Replaces links to files outside of `docs/src`, which begin with `../../`.
fn without_outer_links(page: &str, repository: Option<&str>) -> String {
    let mut replaced = page.to_owned();
    let links = Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter();
    let outer = links.filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. }) => {
            Some((dest_url.strip_prefix("../../")?.to_owned(), range))
        }
        _ => None,
    });
    // From the last to the first, so that the positions of the others stay.
    for (path, range) in outer.collect::<Vec<_>>().into_iter().rev() {
        let link = &page[range.clone()];
        let text = link.rsplit_once("](").map_or(link, |(text, _)| text).trim_start_matches('[');
        let link = match repository {
            Some(repository) => format!("[{text}]({repository}/blob/main/{path})"),
            None => text.to_owned(),
        };
        replaced.replace_range(range, &link);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "[`a`](../../a/README.md#b), [b](b.md) and [the c](../../c.rs).\n\n```md\n[a](../../a)\n```\n";

    #[test]
    fn links_that_leave_the_book_lead_to_the_repository() {
        let expected = "[`a`](https://example.org/r/blob/main/a/README.md#b), [b](b.md) and \
                        [the c](https://example.org/r/blob/main/c.rs).\n\n```md\n[a](../../a)\n```\n";
        assert_eq!(without_outer_links(PAGE, Some("https://example.org/r")), expected);
    }

    #[test]
    fn links_that_leave_the_book_are_text_without_an_address_of_the_repository() {
        assert_eq!(
            without_outer_links(PAGE, None),
            "`a`, [b](b.md) and the c.\n\n```md\n[a](../../a)\n```\n"
        );
    }
}
