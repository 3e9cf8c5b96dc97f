package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.UnpackingMap;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Writes plans, as {@link PlanFormat} says. */
final class PlanWriter {
    private final Bulk bulk;
    private final TextTable texts = new TextTable();
    private final TensorTable tensors;
    /** The numbers of the values in scope: those of a graph that is done are given anew. */
    private final IdentityHashMap<Value, Integer> values = new IdentityHashMap<>();

    private PlanWriter(StoredPlan plan, Predicate<MemorySegment> apart) {
        bulk = new Bulk(apart);
        tensors = new TensorTable(plan.left(), bulk);
    }

    static PlanImage write(StoredPlan plan) {
        return write(plan, _ -> false);
    }

    /** @param apart which constants are segments of their own, whatever their size */
    static PlanImage write(StoredPlan plan, Predicate<MemorySegment> apart) {
        var writer = new PlanWriter(plan, apart);
        var packed = new ByteWriter();
        writer.packed(plan.packed(), packed);
        var graph = new ByteWriter();
        writer.graph(plan.graph(), graph);
        var back = new ByteWriter();
        writer.back(plan, back);
        var choices = new ByteWriter();
        writer.choices(plan.choices(), choices);
        var whole = new ByteWriter();
        whole.fixed(PlanFormat.MARK);
        whole.fixed(PlanFormat.VERSION);
        whole.number(plan.strict() ? 1 : 0);
        writer.texts.write(whole);
        writer.tensors.write(whole);
        whole.append(packed);
        whole.bytes(back.toBytes());
        whole.append(choices);
        whole.append(graph);
        return new PlanImage(whole.toBytes(), writer.bulk.segments());
    }

    private void packed(List<PackedWeights> all, ByteWriter to) {
        to.number(all.size());
        for (PackedWeights weights : all) {
            to.number(weights.sources().size());
            for (Tensor source : weights.sources()) {
                to.number(tensors.number(source));
            }
            to.number(texts.number(weights.layout()));
            Bulk.Place place = bulk.place(weights.memory());
            to.number(place.segment());
            to.number(place.offset());
            to.number(weights.memory().byteSize());
        }
    }

    /** How constants that were left out are put back, by who has other vectors. */
    private void back(StoredPlan plan, ByteWriter to) {
        if (plan.back().isEmpty()) {
            return;
        }
        to.number(texts.number(plan.target()));
        to.number(plan.back().size());
        for (UnpackingMap map : plan.back()) {
            to.number(tensors.number(map.source()));
            to.number(plan.packed().indexOf(map.packed()));
            to.number(map.unit().bytes());
            to.fixed(map.unit().flip());
            to.number(map.axis());
            to.number(map.pieces().size());
            for (UnpackingMap.Piece piece : map.pieces()) {
                to.number(piece.count());
                to.number(piece.base());
                for (UnpackingMap.Axis axis : piece.axes()) {
                    to.number(axis.block());
                    to.number(axis.outer());
                    to.number(axis.inner());
                }
            }
        }
    }

    private void choices(Map<String, String> choices, ByteWriter to) {
        to.number(choices.size());
        new TreeMap<>(choices).forEach((work, map) -> {
            text(work, to);
            text(map, to);
        });
    }

    private void graph(Graph graph, ByteWriter to) {
        int outside = values.size();
        text(graph.name(), to);
        to.number(graph.inputs().size());
        for (Value input : graph.inputs()) {
            define(input, to);
            Tensor otherwise = graph.defaultOf(input);
            to.number(otherwise == null ? 0 : tensors.number(otherwise) + 1L);
        }
        to.number(graph.constants().size());
        for (Value constant : graph.constants()) {
            values.put(constant, values.size());
            text(constant.name(), to);
            to.number(tensors.number(Objects.requireNonNull(constant.constant())));
        }
        to.number(graph.nodeCount());
        for (Node node : graph.nodes()) {
            node(node, to);
        }
        to.number(graph.outputs().size());
        for (int i = 0; i < graph.outputs().size(); i++) {
            text(graph.outputNames().get(i), to);
            to.number(number(graph.outputs().get(i)));
        }
        values.values().removeIf(number -> number >= outside);
    }

    private void define(Value value, ByteWriter to) {
        values.put(value, values.size());
        text(value.name(), to);
        TypeFormat.write(value.type(), to, texts);
    }

    private int number(Value value) {
        Integer number = values.get(value);
        if (number == null) {
            throw new IllegalStateException("value '" + value.name() + "' is read before it is made");
        }
        return number;
    }

    private void text(String text, ByteWriter to) {
        to.number(texts.number(text));
    }

    private void node(Node node, ByteWriter to) {
        text(node.op().domain(), to);
        text(node.op().name(), to);
        to.number(node.opset());
        text(node.name(), to);
        text(node.overload(), to);
        list(node.inputs(), input -> to.number(input == null ? 0 : number(input) + 1L), to);
        to.number(node.attributes().asMap().size());
        node.attributes().asMap().forEach((name, attribute) -> {
            text(name, to);
            attribute(attribute, to);
        });
        list(
                node.outputs(),
                output -> {
                    to.number(output == null ? 0 : 1);
                    if (output != null) {
                        define(output, to);
                    }
                },
                to);
    }

    private static <T extends @Nullable Object> void list(List<T> items, Consumer<T> write, ByteWriter to) {
        to.number(items.size());
        items.forEach(write);
    }

    private void attribute(Attribute attribute, ByteWriter to) {
        switch (attribute) {
            case Attribute.Int(long value) -> {
                to.number(PlanFormat.INT);
                to.signed(value);
            }
            case Attribute.Float(float value) -> {
                to.number(PlanFormat.FLOAT);
                to.real(value);
            }
            case Attribute.Bytes(byte[] value) -> {
                to.number(PlanFormat.TEXT);
                to.bytes(value);
            }
            case Attribute.TensorValue(Tensor value) -> {
                to.number(PlanFormat.TENSOR);
                to.number(tensors.number(value));
            }
            case Attribute.GraphValue(Graph value) -> {
                to.number(PlanFormat.GRAPH);
                graph(value, to);
            }
            case Attribute.TypeValue(var value) -> {
                to.number(PlanFormat.TYPE);
                TypeFormat.write(value, to, texts);
            }
            case Attribute.Sparse(Tensor elements, Tensor indices, List<Long> dims) -> {
                to.number(PlanFormat.SPARSE);
                to.number(tensors.number(elements));
                to.number(tensors.number(indices));
                list(dims, to::signed, to);
            }
            case Attribute.Reference(String name) ->
                throw new IllegalArgumentException("attribute '" + name + "' of a calling node stands in a partition");
            default -> attributes(attribute, to);
        }
    }

    private void attributes(Attribute attribute, ByteWriter to) {
        switch (attribute) {
            case Attribute.Ints(List<Long> all) -> {
                to.number(PlanFormat.INTS);
                list(all, to::signed, to);
            }
            case Attribute.Floats(List<Float> all) -> {
                to.number(PlanFormat.FLOATS);
                list(all, to::real, to);
            }
            case Attribute.Strings(List<Attribute.Bytes> all) -> {
                to.number(PlanFormat.TEXTS);
                list(all, text -> to.bytes(text.value()), to);
            }
            case Attribute.Tensors(List<Tensor> all) -> {
                to.number(PlanFormat.TENSORS);
                list(all, tensor -> to.number(tensors.number(tensor)), to);
            }
            case Attribute.Graphs(List<Graph> all) -> {
                to.number(PlanFormat.GRAPHS);
                list(all, graph -> graph(graph, to), to);
            }
            case Attribute.Types(var all) -> {
                to.number(PlanFormat.TYPES);
                list(all, type -> TypeFormat.write(type, to, texts), to);
            }
            default -> throw new IllegalStateException("an attribute is of no kind: " + attribute);
        }
    }
}
