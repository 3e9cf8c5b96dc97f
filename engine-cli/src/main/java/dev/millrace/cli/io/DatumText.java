package dev.millrace.cli.io;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.Objects;
import java.util.stream.Collectors;

/** Data as a person reads them: type, shape, the first numbers, and how the numbers are spread. */
public final class DatumText {
    private DatumText() {}

    public static String of(Datum datum, int most) {
        return switch (datum) {
            case Tensor tensor -> of(tensor, most);
            case TensorSequence sequence ->
                "sequence of " + sequence.elements().size()
                        + sequence.elements().stream()
                                .map(element -> "\n    " + of(element, most))
                                .collect(Collectors.joining());
            case OptionalDatum optional ->
                optional.isPresent()
                        ? "optional " + of(Objects.requireNonNull(optional.value()), most)
                        : "optional, empty";
            case MapDatum map ->
                "map "
                        + map.entries().entrySet().stream()
                                .map(entry -> PlainText.line(String.valueOf(entry.getKey())) + " -> "
                                        + of(entry.getValue(), most))
                                .collect(Collectors.joining(", ", "{", "}"));
        };
    }

    private static String of(Tensor tensor, int most) {
        int count = (int) Math.min(tensor.elements(), most);
        var text =
                new StringBuilder().append(tensor.type()).append(tensor.shape()).append(' ');
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(element(tensor, i));
        }
        if (tensor.elements() > count) {
            text.append(" …");
        }
        if (tensor.type().isFloating() && tensor.elements() > 1) {
            text.append(spread(tensor));
        }
        return text.toString();
    }

    /** One element as text. */
    static String element(Tensor tensor, long index) {
        ElementType type = tensor.type();
        return switch (type.kind()) {
            case TEXT -> '"' + PlainText.line(tensor.strings()[(int) index]) + '"';
            case FLOATING -> {
                double value = Elements.getDouble(type, tensor.segment(), index);
                yield type == ElementType.DOUBLE ? Double.toString(value) : Float.toString((float) value);
            }
            case COMPLEX -> {
                double real = Elements.getDouble(type, tensor.segment(), 2 * index);
                yield real + "+" + Elements.getDouble(type, tensor.segment(), 2 * index + 1) + "i";
            }
            case BOOLEAN -> Boolean.toString(Elements.getLong(type, tensor.segment(), index) != 0);
            case SIGNED -> Long.toString(Elements.getLong(type, tensor.segment(), index));
            case UNSIGNED -> Long.toUnsignedString(Elements.getLong(type, tensor.segment(), index));
        };
    }

    private static String spread(Tensor tensor) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        double sum = 0;
        for (long i = 0; i < tensor.elements(); i++) {
            double value = Elements.getDouble(tensor.type(), tensor.segment(), i);
            low = Math.min(low, value);
            high = Math.max(high, value);
            sum += value;
        }
        return "  (min %.6g, mean %.6g, max %.6g)".formatted(low, sum / tensor.elements(), high);
    }
}
