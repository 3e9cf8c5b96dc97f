package dev.millrace.text.constraint;

import java.util.Map;

/** The formats of strings that JSON schemas can name, as regular expressions. Each has a part of what its standard allows. */
final class Formats {
    private static final String LEAP_YEAR =
            "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
    private static final String DATE = "(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])"
            + "|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|" + LEAP_YEAR + "-02-29)";
    private static final String TIME =
            "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d)";
    private static final String ATOM = "[A-Za-z0-9_%+-]{1,20}";
    private static final String LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?";
    private static final String BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

    private static final Map<String, String> ALL = Map.of(
            "date",
            DATE,
            "time",
            TIME,
            "date-time",
            DATE + "T" + TIME,
            "uuid",
            "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
            "email",
            ATOM + "(?:\\." + ATOM + "){0,2}@" + LABEL + "(?:\\." + LABEL + "){1,3}",
            "ipv4",
            BYTE + "(?:\\." + BYTE + "){3}");

    private Formats() {}

    static boolean has(String name) {
        return ALL.containsKey(name);
    }

    /** Returns a whole expression. */
    static String expression(String name) {
        return "^" + "(?:" + ALL.get(name) + ")$";
    }
}
