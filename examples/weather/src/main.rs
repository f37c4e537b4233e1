//! Prints what the archive holds.

use weather::Archive;

fn main() {
    let archive = Archive::embedded();
    println!("{} to {}", archive.first_date(), archive.last_date());
    for column in Archive::columns() {
        let unit = column.unit.as_deref().unwrap_or("-");
        println!("{:<14}{:<6}{}", column.name, unit, column.description);
    }
}
