//! Launches: launch files and comments, inference, arguments, expectations.
