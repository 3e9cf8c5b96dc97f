package dev.millrace.bench.suite;

/** Fields of comma-separated values. */
final class Csv {
    private Csv() {}

    /** In quotes where it needs them. */
    static String quoted(String field) {
        boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}
