package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** LabelEncoder and CategoryMapper: values looked up in a table. Values are strings, longs or doubles. */
final class Labels {
    private Labels() {}

    static ShapedKernel encoder(Node node) {
        return node.opset() < 2 ? byPosition(node, "classes_strings", null) : byTable(node);
    }

    static ShapedKernel mapper(Node node) {
        return byPosition(node, "cats_strings", "cats_int64s");
    }

    /** Strings to numbers or numbers to strings; without numbers of their own, strings are numbered in order. */
    private static ShapedKernel byPosition(Node node, String textsName, @Nullable String numbersName) {
        Attributes attributes = node.attributes();
        List<String> texts = attributes.texts(textsName);
        long[] numbers = numbersName == null ? null : attributes.integers(numbersName);
        Map<Object, Object> toNumbers = new HashMap<>();
        Map<Object, Object> toTexts = new HashMap<>();
        int count = texts == null ? 0 : texts.size();
        if (texts == null || (numbersName != null && (numbers == null || numbers.length != count))) {
            throw EngineException.invalidGraph(
                    node.describe() + ": the tables of labels are missing or differ in size");
        }
        for (int i = 0; i < count; i++) {
            long number = numbers == null ? i : numbers[i];
            toNumbers.putIfAbsent(texts.get(i), number);
            toTexts.putIfAbsent(number, texts.get(i));
        }
        Object number = attributes.integer("default_int64", -1);
        Object text = attributes.text("default_string", "_Unused");
        return context -> {
            boolean fromText = context.inputType(0) == ElementType.STRING;
            return lookUp(
                            context.inputType(0),
                            context.outputType(0),
                            fromText ? toNumbers : toTexts,
                            fromText ? number : text)
                    .bind(context);
        };
    }

    private static ShapedKernel byTable(Node node) {
        List<Object> keys = entries(node, "keys");
        List<Object> values = entries(node, "values");
        if (keys.size() != values.size()) {
            throw EngineException.invalidGraph(
                    node.describe() + ": " + keys.size() + " keys for " + values.size() + " values");
        }
        Map<Object, Object> table = new HashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            table.putIfAbsent(keys.get(i), values.get(i));
        }
        return context -> lookUp(
                        context.inputType(0), context.outputType(0), table, otherwise(node, context.outputType(0)))
                .bind(context);
    }

    private static Object otherwise(Node node, ElementType type) {
        Attributes attributes = node.attributes();
        if (attributes.has("default_tensor")) {
            return read(attributes.tensor("default_tensor")).getFirst();
        }
        return switch (type.kind()) {
            case TEXT -> attributes.text("default_string", "_Unused");
            case FLOATING -> (double) attributes.real("default_float", -0f);
            default -> attributes.integer("default_int64", -1);
        };
    }

    private static List<Object> entries(Node node, String name) {
        Attributes attributes = node.attributes();
        if (attributes.has(name + "_tensor")) {
            return read(attributes.tensor(name + "_tensor"));
        }
        List<String> texts = attributes.texts(name + "_strings");
        if (texts != null) {
            return List.copyOf(texts);
        }
        List<Object> entries = new ArrayList<>();
        long[] numbers = attributes.integers(name + "_int64s");
        float[] reals = attributes.reals(name + "_floats");
        if (numbers != null) {
            for (long number : numbers) {
                entries.add(number);
            }
        } else if (reals != null) {
            for (float real : reals) {
                entries.add((double) real);
            }
        } else {
            throw EngineException.invalidGraph(node.describe() + ": no attribute gives the " + name);
        }
        return entries;
    }

    private static List<Object> read(Tensor tensor) {
        if (tensor.type() == ElementType.STRING) {
            return List.of((Object[]) tensor.strings());
        }
        List<Object> entries = new ArrayList<>();
        for (long i = 0; i < tensor.elements(); i++) {
            entries.add(
                    tensor.type().isFloating()
                            ? (Object) Elements.getDouble(tensor.type(), tensor.segment(), i)
                            : (Object) Elements.getLong(tensor.type(), tensor.segment(), i));
        }
        return entries;
    }

    private static ShapedKernel lookUp(ElementType from, ElementType to, Map<Object, Object> table, Object otherwise) {
        return context -> {
            long count = context.inputShape(0).elements();
            return run -> {
                for (long i = 0; i < count; i++) {
                    run.checkCancelled(i);
                    store(run, to, i, table.getOrDefault(key(run, from, i), otherwise));
                }
            };
        };
    }

    private static Object key(LaunchContext run, ElementType type, long index) {
        return switch (type.kind()) {
            case TEXT -> run.inputStrings(0)[(int) index];
            case FLOATING -> Elements.getDouble(type, run.input(0), index);
            default -> Elements.getLong(type, run.input(0), index);
        };
    }

    private static void store(LaunchContext run, ElementType type, long index, Object value) {
        switch (value) {
            case String text -> run.outputStrings(0)[(int) index] = text;
            case Long number -> Elements.setLong(type, run.output(0), index, number);
            case Double real -> Elements.setDouble(type, run.output(0), index, real);
            default -> throw new IllegalStateException("labels are strings, longs or doubles");
        }
    }
}
