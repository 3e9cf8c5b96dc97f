package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** The kernels of operators with a table of strings. Each line of a table has a string, a tab, and its value. */
final class MappingKernels {
    private MappingKernels() {}

    private static Map<String, String> table(Node node) {
        var table = new LinkedHashMap<String, String>();
        node.attributes()
                .text("map", "")
                .lines()
                .filter(line -> !line.isEmpty())
                .forEach(line -> {
                    List<String> parts = Arrays.stream(line.split("\t"))
                            .filter(part -> !part.isEmpty())
                            .toList();
                    if (parts.size() != 2) {
                        throw EngineException.invalidGraph(
                                node.describe() + ": line '" + line + "' of its map is no string, tab and value");
                    }
                    table.put(parts.get(0), parts.get(1));
                });
        return table;
    }

    /** Returns the vectors of a table. All have one length. */
    private static Map<String, List<Long>> vectors(Node node) {
        var vectors = new LinkedHashMap<String, List<Long>>();
        table(node).forEach((text, numbers) -> vectors.put(text, vector(node, numbers)));
        if (vectors.values().stream().mapToInt(List::size).distinct().count() > 1) {
            throw EngineException.invalidGraph(node.describe() + ": the vectors of its map have different lengths");
        }
        return vectors;
    }

    private static List<Long> vector(Node node, String numbers) {
        try {
            return Arrays.stream(numbers.strip().split(" +")).map(Long::valueOf).toList();
        } catch (NumberFormatException _) {
            throw EngineException.invalidGraph(node.describe() + ": '" + numbers + "' is no vector of whole numbers");
        }
    }

    /** Replaces strings that the table has. */
    static DynamicKernel strings(Node node) {
        Map<String, String> table = table(node);
        return context -> {
            Tensor texts = context.tensor(0);
            String[] made = texts.strings().clone();
            Arrays.setAll(made, i -> table.getOrDefault(made[i], made[i]));
            context.output(0, Tensor.ofStrings(texts.shape(), made));
        };
    }

    /** Returns the vectors of strings along a new last axis. */
    static DynamicKernel toVectors(Node node) {
        Map<String, List<Long>> vectors = vectors(node);
        List<Long> unknown = vector(node, node.attributes().text("unk", ""));
        if (vectors.values().stream().anyMatch(each -> each.size() != unknown.size())) {
            throw EngineException.invalidGraph(
                    node.describe() + ": its unk has " + unknown.size() + " numbers, and the vectors of its map not");
        }
        return context -> {
            Tensor texts = context.tensor(0);
            long[] made = Arrays.stream(texts.strings())
                    .flatMapToLong(
                            text -> vectors.getOrDefault(text, unknown).stream().mapToLong(Long::longValue))
                    .toArray();
            long[] shape = Arrays.copyOf(texts.shape().toArray(), texts.shape().rank() + 1);
            shape[shape.length - 1] = unknown.size();
            context.output(0, Tensor.copyOf(made, shape));
        };
    }

    /** Returns the strings of vectors, which are the last axis unless they have one number and the axis has more. */
    static DynamicKernel fromVectors(Node node) {
        var texts = new HashMap<List<Long>, String>();
        vectors(node).forEach((text, vector) -> texts.put(vector, text));
        int length = texts.keySet().stream().findFirst().map(List::size).orElse(1);
        String unknown = node.attributes().text("unk", "");
        return context -> {
            long[] shape = context.tensor(0).shape().toArray();
            long[] numbers = context.tensor(0).longs();
            boolean isAxis = shape.length > 0 && shape[shape.length - 1] == length && (length > 1 || shape.length > 1);
            if (length > 1 && !isAxis) {
                throw EngineException.invalidArgument(node.describe() + ": vectors of the shape "
                        + Arrays.toString(shape) + "; those of its map have " + length + " numbers");
            }
            String[] made = new String[numbers.length / length];
            for (int i = 0; i < made.length; i++) {
                long[] vector = Arrays.copyOfRange(numbers, i * length, (i + 1) * length);
                made[i] = texts.getOrDefault(LongStream.of(vector).boxed().toList(), unknown);
            }
            Shape to = Shape.of(isAxis ? Arrays.copyOf(shape, shape.length - 1) : shape);
            context.output(0, Tensor.ofStrings(to, made));
        };
    }
}
