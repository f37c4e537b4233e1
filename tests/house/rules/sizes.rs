//! Sizes of files and functions of the MCP server.

use crate::workspace;

/// The maximum number of lines of a file, without its tests.
const MAX_FILE: usize = 400;

/// The maximum number of lines of a function.
const MAX_FUNCTION: usize = 60;

#[test]
fn files_and_functions_of_the_mcp_server_are_short() {
    let mut found = Vec::new();
    for path in workspace::sources(workspace::member("tool-mcp")) {
        if path.ends_with("tests.rs") {
            continue;
        }
        let source = workspace::read(&path);
        let code: Vec<&str> = without_tests(&source).lines().collect();
        if code.len() > MAX_FILE {
            found.push(format!("{}: {} lines", path.display(), code.len()));
        }
        let functions = functions(&code).into_iter().filter(|(_, lines)| *lines > MAX_FUNCTION);
        found.extend(functions.map(|(name, lines)| format!("{}: {name}: {lines} lines", path.display())));
    }
    assert!(found.is_empty(), "too long:\n{}", found.join("\n"));
}

#[test]
fn functions_are_measured_from_their_head_to_their_last_brace() {
    let source = "impl A {\n    pub(crate) async fn a(\n        b: u8,\n    ) {\n        {\n        }\n    }\n}\n\nfn c() {}\n\nfn d() {\n}\n\ntrait E {\n    fn e(\n    ) -> u8;\n    fn f();\n}\n";
    let code: Vec<&str> = source.lines().collect();
    assert_eq!(functions(&code), [("a", 6), ("c", 1), ("d", 2), ("e", 2), ("f", 1)]);
    assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {\n    b\n}\n"), "a\n");
}

fn without_tests(source: &str) -> &str {
    source.split("#[cfg(test)]\nmod tests {").next().unwrap_or(source)
}

/// Returns the functions of formatted code with their numbers of lines.
fn functions<'c>(code: &[&'c str]) -> Vec<(&'c str, usize)> {
    let heads = code.iter().enumerate().filter_map(|(start, line)| Some((start, *line, name(line)?)));
    heads
        .map(|(start, head, name)| {
            let indent = &head[..head.len() - head.trim_start().len()];
            let is_one_line = head.ends_with('}') || head.ends_with(';');
            // A function of a trait may have no body.
            let is_end = |line: &&str| {
                let rest = line.strip_prefix(indent);
                rest.is_some_and(|rest| rest == "}" || rest.starts_with(')') && rest.ends_with(';'))
            };
            let end = code[start..].iter().position(is_end).filter(|_| !is_one_line);
            (name, end.map_or(1, |end| end + 1))
        })
        .collect()
}

/// Returns the name of the function that begins in this line.
fn name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_modifier = |word: &&str| word.starts_with("pub") || matches!(*word, "async" | "const");
    let keyword = words.find(|word| !is_modifier(word))?;
    let name = words.next().filter(|_| keyword == "fn")?;
    name.split(['(', '<']).next()
}
