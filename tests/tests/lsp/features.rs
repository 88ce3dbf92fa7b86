//! One look at every request: that it reaches its feature and comes back in the protocol's words. What the answers
//! say is tested where they are made.
