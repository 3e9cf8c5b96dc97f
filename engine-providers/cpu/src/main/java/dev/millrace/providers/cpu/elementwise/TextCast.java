package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.SmallFloats;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.Locale;

/** The conversion of numbers to text and back, in the notation that ONNX shares with numpy. */
final class TextCast {
    private TextCast() {}

    static void format(ElementType from, MemorySegment input, String[] to, int first, int end) {
        for (int i = first; i < end; i++) {
            to[i] = switch (from) {
                case BOOL -> Elements.getLong(from, input, i) != 0 ? "True" : "False";
                case UINT64 -> Long.toUnsignedString(Elements.getLong(from, input, i));
                case DOUBLE -> {
                    double value = Elements.getDouble(from, input, i);
                    yield decimal(value, Double.toString(value));
                }
                default -> {
                    if (!from.isFloating()) {
                        yield Long.toString(Elements.getLong(from, input, i));
                    }
                    float value = (float) Elements.getDouble(from, input, i);
                    yield decimal(value, Float.toString(value));
                }
            };
        }
    }

    /** Formats a number: plain digits from 1e-4 up to 1e16, an exponent of at least two digits beyond. */
    private static String decimal(double value, String shortest) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "INF" : "-INF";
        }
        double size = Math.abs(value);
        if (size == 0 || (size >= 1e-4 && size < 1e16)) {
            String plain = new BigDecimal(shortest).toPlainString();
            String sign = value == 0 && 1 / value < 0 && !plain.startsWith("-") ? "-" : "";
            return sign + (plain.indexOf('.') < 0 ? plain + ".0" : plain);
        }
        int split = shortest.indexOf('E');
        String digits = shortest.substring(0, split);
        int exponent = Integer.parseInt(shortest.substring(split + 1));
        String mantissa = digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits;
        return String.format(Locale.ROOT, "%se%s%02d", mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    static void parse(String[] from, ElementType to, MemorySegment output, boolean saturate, int first, int end) {
        for (int i = first; i < end; i++) {
            String text = digits(from[i].strip());
            try {
                if (to == ElementType.BOOL) {
                    Elements.setLong(to, output, i, number(text) != 0 ? 1 : 0);
                } else if (to == ElementType.UINT64) {
                    Elements.setLong(to, output, i, Long.parseUnsignedLong(text));
                } else if (to.isInteger()) {
                    Elements.setLong(to, output, i, integer(text));
                } else if (to.bits() == 8) {
                    int bits = SmallFloats.encode(to, (float) number(text), saturate);
                    output.set(ByteLayouts.BYTE, i, (byte) bits);
                } else {
                    Elements.setDouble(to, output, i, number(text));
                }
            } catch (NumberFormatException e) {
                throw EngineException.invalidArgument("Cast: '" + from[i] + "' is no number of type " + to);
            }
        }
    }

    /** Returns the text, with the names of truth values replaced by 1 and 0. */
    private static String digits(String text) {
        return text.equalsIgnoreCase("true") ? "1" : text.equalsIgnoreCase("false") ? "0" : text;
    }

    private static long integer(String text) {
        boolean plain = text.indexOf('.') < 0 && text.indexOf('e') < 0 && text.indexOf('E') < 0;
        return plain ? Long.parseLong(text) : (long) number(text);
    }

    private static double number(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "nan" -> Double.NaN;
            case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
