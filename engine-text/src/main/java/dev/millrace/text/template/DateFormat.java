package dev.millrace.text.template;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** The directives of C's {@code strftime}, with English names. */
final class DateFormat {
    private static final Map<Character, String> PATTERNS = Map.ofEntries(
            Map.entry('a', "EEE"),
            Map.entry('A', "EEEE"),
            Map.entry('b', "MMM"),
            Map.entry('h', "MMM"),
            Map.entry('B', "MMMM"),
            Map.entry('d', "dd"),
            Map.entry('e', "ppd"),
            Map.entry('D', "MM/dd/uu"),
            Map.entry('F', "uuuu-MM-dd"),
            Map.entry('H', "HH"),
            Map.entry('I', "hh"),
            Map.entry('j', "DDD"),
            Map.entry('m', "MM"),
            Map.entry('M', "mm"),
            Map.entry('p', "a"),
            Map.entry('R', "HH:mm"),
            Map.entry('S', "ss"),
            Map.entry('T', "HH:mm:ss"),
            Map.entry('u', "e"),
            Map.entry('y', "uu"),
            Map.entry('Y', "uuuu"));

    private static final int LONGEST = 1000;

    private DateFormat() {}

    static String of(String format, ZonedDateTime time) {
        if (format.length() > LONGEST) {
            throw new Failure("the format of 'strftime_now' has more than " + LONGEST + " chars");
        }
        var out = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            if (format.charAt(i) != '%') {
                out.append(format.charAt(i));
                continue;
            }
            boolean unpadded = format.startsWith("-", i + 1);
            i += unpadded ? 2 : 1;
            String part = directive(i < format.length() ? format.charAt(i) : ' ', time);
            out.append(unpadded && part.startsWith("0") ? part.substring(1) : part);
        }
        return out.toString();
    }

    private static String directive(char directive, ZonedDateTime time) {
        if (directive == '%') {
            return "%";
        }
        String pattern = PATTERNS.get(directive);
        if (pattern == null) {
            throw new Failure("'strftime_now' knows no directive '%" + directive + "'");
        }
        return time.format(DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH));
    }
}
