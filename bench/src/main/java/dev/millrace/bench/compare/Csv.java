package dev.millrace.bench.compare;

/** Writes fields of comma-separated values (RFC 4180). */
public final class Csv {
    private Csv() {}

    /** Returns a field in quotes if it needs them. */
    public static String quoted(String field) {
        boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}
