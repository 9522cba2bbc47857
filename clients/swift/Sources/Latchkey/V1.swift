/// Messages, enums and calls of version 1 of the API, generated from its protos.
///
/// The names are those of the protos. A member that an older service does not send has its zero: false, 0, an empty text or list, the
/// start of 1970. Members and values that a later service adds are accepted.
public enum V1 {}
