package dev.millrace.graph.format;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.Arrays;
import java.util.LinkedHashMap;

/** A datum's type, shape and bits as text. */
final class DatumText {
    private DatumText() {}

    static String of(Datum datum) {
        return switch (datum) {
            case Tensor tensor when tensor.type() == ElementType.STRING -> tensor + Arrays.toString(tensor.strings());
            case Tensor tensor -> tensor + Arrays.toString(tensor.segment().toArray(ByteLayouts.BYTE));
            case TensorSequence sequence ->
                sequence.elements().stream().map(DatumText::of).toList().toString();
            case OptionalDatum(Datum value) when value != null -> "some " + of(value);
            case OptionalDatum _ -> "none";
            case MapDatum map -> {
                var texts = new LinkedHashMap<Object, String>();
                map.entries().forEach((key, value) -> texts.put(key, of(value)));
                yield map.keyType() + " " + texts;
            }
        };
    }
}
