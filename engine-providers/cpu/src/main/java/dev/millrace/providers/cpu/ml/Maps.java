package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** CastMap, DictVectorizer and ZipMap: between maps and tensors. The values of a map are scalars. */
final class Maps {
    private Maps() {}

    private static Map<Object, Datum> map(DynamicContext context) {
        if (context.input(0) instanceof MapDatum map) {
            return map.entries();
        }
        throw EngineException.invalidArgument(context.node().describe() + ": input 0 is no map");
    }

    private static String text(Datum scalar) {
        Tensor tensor = (Tensor) scalar;
        return tensor.type() == ElementType.STRING ? tensor.strings()[0] : String.valueOf((float) real(scalar));
    }

    private static double real(Datum scalar) {
        Tensor tensor = (Tensor) scalar;
        return tensor.type() == ElementType.STRING
                ? Double.parseDouble(tensor.strings()[0])
                : Elements.getDouble(tensor.type(), tensor.segment(), 0);
    }

    static DynamicKernel cast(Node node) {
        Attributes attributes = node.attributes();
        ElementType to = switch (attributes.text("cast_to", "TO_FLOAT")) {
            case "TO_FLOAT" -> ElementType.FLOAT;
            case "TO_INT64" -> ElementType.INT64;
            case "TO_STRING" -> ElementType.STRING;
            default -> throw EngineException.invalidGraph(node.describe() + ": unknown cast_to");
        };
        boolean sparse = attributes.text("map_form", "DENSE").equals("SPARSE");
        long width = attributes.integer("max_map", 1);
        return context -> {
            Map<Object, Datum> entries = new TreeMap<>(map(context));
            Tensor row = Tensor.allocate(to, Shape.of(1, sparse ? width : entries.size()));
            long at = 0;
            for (Map.Entry<Object, Datum> entry : entries.entrySet()) {
                context.checkCancelled(at);
                long place = sparse ? (Long) entry.getKey() : at;
                at++;
                if (place >= 0 && place < row.elements()) {
                    put(row, place, entry.getValue());
                }
            }
            context.output(0, row);
        };
    }

    private static void put(Tensor row, long place, Datum value) {
        switch (row.type()) {
            case STRING -> row.strings()[(int) place] = text(value);
            case INT64 -> Elements.setLong(ElementType.INT64, row.segment(), place, (long) real(value));
            default -> Elements.setDouble(row.type(), row.segment(), place, real(value));
        }
    }

    static DynamicKernel vectorizer(Node node) {
        List<Object> vocabulary = keys(node, "string_vocabulary", "int64_vocabulary");
        return context -> {
            Map<Object, Datum> entries = map(context);
            ElementType type = entries.values().stream()
                    .map(value -> ((Tensor) value).type())
                    .findFirst()
                    .orElse(ElementType.FLOAT);
            Tensor row = Tensor.allocate(type, Shape.of(1, vocabulary.size()));
            for (int i = 0; i < vocabulary.size(); i++) {
                context.checkCancelled(i);
                Datum value = entries.get(vocabulary.get(i));
                if (value != null) {
                    put(row, i, value);
                }
            }
            context.output(0, row);
        };
    }

    /** The entries of the list of strings or of integers that is given. */
    static List<Object> keys(Node node, String texts, String numbers) {
        List<String> listed = node.attributes().texts(texts);
        if (listed != null && !listed.isEmpty()) {
            return List.copyOf(listed);
        }
        long[] extents = node.attributes().integers(numbers);
        if (extents == null) {
            throw EngineException.invalidGraph(
                    node.describe() + ": neither '" + texts + "' nor '" + numbers + "' is given");
        }
        return new ArrayList<>(Arrays.stream(extents).boxed().toList());
    }

    static DynamicKernel zip(Node node) {
        List<Object> keys = keys(node, "classlabels_strings", "classlabels_int64s");
        ElementType keyType =
                !keys.isEmpty() && keys.getFirst() instanceof String ? ElementType.STRING : ElementType.INT64;
        return context -> {
            Tensor scores = context.tensor(0);
            Shape shape = scores.shape();
            int width = ArrayExtents.toInt("columns", shape.dimAt(-1));
            if (width != keys.size()) {
                throw EngineException.invalidArgument(
                        node.describe() + ": " + keys.size() + " labels for " + width + " columns");
            }
            List<Datum> maps = new ArrayList<>();
            float[] values = scores.floats();
            for (int row = 0; row < values.length / Math.max(1, width); row++) {
                Map<Object, Datum> entries = new LinkedHashMap<>();
                for (int i = 0; i < width; i++) {
                    context.checkCancelled((long) row * width + i);
                    entries.put(keys.get(i), Tensor.scalar(values[row * width + i]));
                }
                maps.add(new MapDatum(keyType, entries));
            }
            context.output(0, new TensorSequence(maps));
        };
    }
}
