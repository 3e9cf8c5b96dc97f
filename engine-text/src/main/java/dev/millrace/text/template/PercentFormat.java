package dev.millrace.text.template;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Python's formatting of strings by {@code %}: the conversions s, r, d, i, f and x with flags, width and precision. */
final class PercentFormat {
    private static final int WIDEST = 1000;
    private static final int PRECISEST = 100;

    private final String format;
    private final @Nullable Object values;
    private final Steps steps;
    private int at;
    private int next;
    private int precision;

    private PercentFormat(String format, @Nullable Object values, Steps steps) {
        this.format = format;
        this.values = values;
        this.steps = steps;
    }

    /** @param values a tuple with a value for each conversion, a dict for conversions with names, or one value */
    static String of(String format, @Nullable Object values, Steps steps) {
        return new PercentFormat(format, values, steps).formatted();
    }

    private String formatted() {
        steps.chars(format.length());
        var out = new StringBuilder();
        while (at < format.length()) {
            char c = format.charAt(at++);
            if (c != '%') {
                out.append(c);
            } else if (at < format.length() && format.charAt(at) == '%') {
                out.append(format.charAt(at++));
            } else {
                String part = conversion();
                steps.requireLength((long) out.length() + part.length());
                steps.chars(part.length());
                out.append(part);
            }
        }
        if (values instanceof Tuple tuple && next < tuple.size()) {
            throw new Failure("the format has fewer conversions than there are values");
        }
        return out.toString();
    }

    private String conversion() {
        String name = name();
        String flags = flags();
        int width = number(WIDEST, 0);
        boolean precise = at < format.length() && format.charAt(at) == '.';
        at += precise ? 1 : 0;
        precision = precise ? number(PRECISEST, 0) : -1;
        char kind = at < format.length() ? format.charAt(at++) : ' ';
        String text = converted(kind, value(name));
        if (flags.contains("+") && "dif".indexOf(kind) >= 0 && !text.startsWith("-")) {
            text = "+" + text;
        }
        String padding = " ".repeat(Math.max(0, width - text.codePointCount(0, text.length())));
        if (flags.contains("-")) {
            return text + padding;
        }
        if (flags.contains("0") && "difx".indexOf(kind) >= 0) {
            int sign = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
            return text.substring(0, sign) + padding.replace(' ', '0') + text.substring(sign);
        }
        return padding + text;
    }

    private String name() {
        if (at >= format.length() || format.charAt(at) != '(') {
            return "";
        }
        int close = format.indexOf(')', at);
        if (close < 0) {
            throw new Failure("the format has a name without an end");
        }
        String name = format.substring(at + 1, close);
        at = close + 1;
        return name;
    }

    private String flags() {
        int from = at;
        while (at < format.length() && "-+0".indexOf(format.charAt(at)) >= 0) {
            at++;
        }
        return format.substring(from, at);
    }

    private int number(int most, int otherwise) {
        int from = at;
        while (at < format.length() && Chars.isDigit(format.charAt(at))) {
            at++;
        }
        int number =
                at == from ? otherwise : at - from > 4 ? Integer.MAX_VALUE : Integer.parseInt(format, from, at, 10);
        if (number > most) {
            throw new Failure("the format has a width or a precision above " + most);
        }
        return number;
    }

    private @Nullable Object value(String name) {
        if (!name.isEmpty()) {
            Object value = values instanceof Map<?, ?> map && map.containsKey(name) ? map.get(name) : null;
            if (value == null) {
                throw new Failure("the format names '" + name + "', which is not there");
            }
            return value;
        }
        int place = next++;
        if (values instanceof Tuple tuple ? place >= tuple.size() : place > 0) {
            throw new Failure("the format has more conversions than there are values");
        }
        return values instanceof Tuple tuple ? tuple.get(place) : values;
    }

    private String converted(char kind, @Nullable Object value) {
        return switch (kind) {
            case 's' -> cut(Texts.text(value, steps));
            case 'r' -> cut(Texts.repr(value, steps));
            case 'd', 'i' -> String.valueOf(number(value).longValue());
            case 'x' -> Long.toString(number(value).longValue(), 16);
            case 'f' -> decimal(number(value).doubleValue());
            default -> throw new Failure("the format has an unknown conversion '%" + kind + "'");
        };
    }

    private String cut(String text) {
        return precision < 0 || Sequences.length(text) <= precision ? text : Sequences.part(text, 0, precision);
    }

    private static Number number(@Nullable Object value) {
        Number number = TemplateNumbers.exact(value);
        if (number == null) {
            throw new Failure("the format needs a number and gets " + Values.kind(value));
        }
        return number;
    }

    private String decimal(double number) {
        return Double.isFinite(number)
                ? new BigDecimal(number)
                        .setScale(precision < 0 ? 6 : precision, RoundingMode.HALF_EVEN)
                        .toPlainString()
                : TemplateNumbers.text(number);
    }
}
