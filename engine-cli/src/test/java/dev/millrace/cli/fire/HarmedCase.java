package dev.millrace.cli.fire;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A node of a backend test, with the inputs that it likes, of which one or two came to harm: mostly those after the first, which
 * say where, how many and how large. What is given may be an input or a weight.
 */
final class HarmedCase {
    private final Random random;
    private final ModelProto.Builder model;
    private final Map<String, Tensor> tensors;

    /** The model and what it is given. */
    record Made(byte[] model, Inputs inputs) {}

    private HarmedCase(StoredNode node, Random random) {
        this.random = random;
        this.model = node.model().toBuilder();
        this.tensors = new LinkedHashMap<>(node.inputs());
    }

    static Made of(StoredNode node, Random random) {
        return new HarmedCase(node, random).made();
    }

    private Made made() {
        var names = List.copyOf(tensors.keySet());
        var victims = new HashSet<String>();
        for (int left = 1 + random.nextInt(2); left > 0 && !names.isEmpty(); left--) {
            boolean isFirst = names.size() == 1 || random.nextInt(8) == 0;
            victims.add(names.get(isFirst ? 0 : 1 + random.nextInt(names.size() - 1)));
        }
        tensors.replaceAll((name, tensor) -> victims.contains(name) ? harmed(tensor) : tensor);
        if (names.isEmpty() || random.nextInt(4) == 0) {
            new AttributeMutator(random, new TensorMutator(random))
                    .mutate(model.getGraphBuilder().getNodeBuilder(0));
        }
        GraphProto.Builder graph = model.getGraphBuilder();
        var inputs = Inputs.empty();
        for (int i = graph.getInputCount() - 1; i >= 0; i--) {
            ValueInfoProto.Builder declared = graph.getInputBuilder(i);
            Tensor tensor = tensors.get(declared.getName());
            if (tensor == null) {
                continue;
            }
            if (random.nextInt(3) == 0) {
                weight(declared.getName(), tensor);
                graph.removeInput(i);
            } else {
                declare(declared, tensor);
                inputs.and(declared.getName(), tensor);
            }
        }
        graph.getOutputBuilderList().forEach(ValueInfoProto.Builder::clearType);
        return new Made(model.build().toByteArray(), inputs);
    }

    private void weight(String name, Tensor tensor) {
        try {
            model.getGraphBuilder().addInitializerBuilder().mergeFrom(Tensors.toBytes(name, tensor));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private void declare(ValueInfoProto.Builder input, Tensor tensor) {
        TypeProto.Tensor.Builder declared = input.getTypeBuilder().getTensorTypeBuilder();
        declared.setElemType(tensor.type().code()).clearShape();
        if (random.nextInt(4) == 0) {
            return;
        }
        var dims = declared.getShapeBuilder();
        boolean free = random.nextBoolean();
        for (long extent : tensor.shape().toArray()) {
            if (free) {
                dims.addDimBuilder();
            } else {
                dims.addDimBuilder().setDimValue(extent);
            }
        }
    }

    private Tensor harmed(Tensor tensor) {
        ElementType type = tensor.type();
        return switch (random.nextInt(12)) {
            case 0 -> HostileTensor.of(type, HostileTensor.shape(random), random);
            case 1 -> HostileTensor.of(type, emptied(tensor.shape()), random);
            case 2 -> HostileTensor.of(ElementType.values()[random.nextInt(26)], tensor.shape(), random);
            case 3 -> HostileTensor.of(type, tensor.shape(), random);
            case 4, 5 -> resized(tensor);
            default -> moved(tensor);
        };
    }

    /** An extent of 0, and at times one beside it that is as large as it likes, since no element comes of it. */
    private Shape emptied(Shape shape) {
        if (shape.rank() == 0) {
            return Shape.of(0);
        }
        long[] dims = new long[shape.rank()];
        Arrays.setAll(dims, i -> Math.min(4, shape.dim(i)));
        dims[random.nextInt(dims.length)] = 1L << random.nextInt(41);
        dims[random.nextInt(dims.length)] = 0;
        return Shape.of(dims);
    }

    /** One extent more or less by a few, or an axis of one more or less; its numbers again and again. */
    private Tensor resized(Tensor tensor) {
        var dims = new ArrayList<Long>();
        for (long extent : tensor.shape().toArray()) {
            dims.add(extent);
        }
        int at = dims.isEmpty() ? 0 : random.nextInt(dims.size());
        if (dims.isEmpty() || random.nextInt(4) == 0) {
            dims.add(at, 1L + random.nextInt(2));
        } else if (random.nextInt(4) == 0) {
            dims.remove(at);
        } else {
            dims.set(at, Math.max(0, dims.get(at) + random.nextInt(5) - 2));
        }
        Shape shape = Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
        Tensor resized = HostileTensor.of(tensor.type(), shape, random);
        for (long i = 0; i < resized.elements() && tensor.elements() > 0; i++) {
            copy(tensor, i % tensor.elements(), resized, i);
        }
        return resized;
    }

    /** A number or a few are others. */
    private Tensor moved(Tensor tensor) {
        Tensor moved = Tensor.copyOf(tensor);
        Tensor hostile = HostileTensor.of(tensor.type(), tensor.shape(), random);
        for (int left = 1 + random.nextInt(3); left > 0 && moved.elements() > 0; left--) {
            long at = random.nextLong(moved.elements());
            copy(hostile, at, moved, at);
        }
        return moved;
    }

    private static void copy(Tensor from, long at, Tensor to, long where) {
        ElementType type = from.type();
        if (type == ElementType.STRING) {
            to.strings()[(int) where] = from.strings()[(int) at];
        } else if (type.isFloating()) {
            Elements.setDouble(type, to.segment(), where, Elements.getDouble(type, from.segment(), at));
        } else if (type.kind() != ElementType.Kind.COMPLEX) {
            Elements.setLong(type, to.segment(), where, Elements.getLong(type, from.segment(), at));
        }
    }
}
