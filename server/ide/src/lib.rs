//! What an editor asks: the database and one file a feature, in plain data.
