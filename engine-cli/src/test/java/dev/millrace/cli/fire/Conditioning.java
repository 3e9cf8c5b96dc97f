package dev.millrace.cli.fire;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Recognises differences that an ill-conditioned problem explains: the unoptimised model's own answer differs, too,
 * when its inputs and weights move by one unit in the last place (ulp). If that moves the answer by less than a quarter
 * of a difference, one of the two answers is wrong. If it moves the worst number as far as the difference, and all
 * numbers together a quarter as far, the answers are equally valid, because no rounding can decide between them.
 */
final class Conditioning {
    private static final int DRAWS = 6;
    private static final double PART = 0.25;
    /** The share from which a perturbation counts as large as the difference, but for its own roundings. */
    private static final double NEARLY_ALL = 0.999;
    /** The ulps by which a sum in float may be off, for outputs whose number of elements depends on a threshold. */
    private static final int COUNTED_STEPS = 16;

    private final Plain plain;

    /** An evaluation of a model without any optimisation. */
    @FunctionalInterface
    interface Plain {
        /** Returns an output of the model, or null if it does not answer. */
        @Nullable
        Datum output(byte[] model, Inputs inputs);
    }

    /** The share of a difference that one ulp explains. */
    enum Share {
        NONE,
        A_PART,
        ALL
    }

    /** Random steps in ulps, of at most {@code most} up or down. */
    private record Steps(Random random, int most) {
        int next() {
            return random.nextInt(2 * most + 1) - most;
        }
    }

    Conditioning(Plain plain) {
        this.plain = plain;
    }

    /** Returns the share of a difference in the answer to these inputs that a perturbation by one ulp explains. */
    Share share(byte[] model, Inputs inputs, Datum expected, Datum actual) {
        double difference = distance(expected, actual);
        if (!(difference < Double.POSITIVE_INFINITY)) {
            return shareOfTheCount(model, inputs, expected, countedApart(expected, actual));
        }
        double inAll = sum(expected, actual);
        double farthest = 0;
        double farthestInAll = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            var steps = new Steps(new Random(draw), 1);
            Datum moved = plain.output(moved(model, steps), moved(inputs, steps));
            double distance = moved == null ? 0 : distance(expected, moved);
            if (moved != null && distance < Double.POSITIVE_INFINITY) {
                farthest = Math.max(farthest, distance);
                farthestInAll = Math.max(farthestInAll, sum(expected, moved));
            }
        }
        if (farthest >= NEARLY_ALL * difference && farthestInAll >= PART * inAll) {
            return Share.ALL;
        }
        return farthest >= PART * difference ? Share.A_PART : Share.NONE;
    }

    /**
     * Returns that share for outputs that differ in how many numbers exceed a threshold, and so
     * in their number of elements.
     */
    private Share shareOfTheCount(byte[] model, Inputs inputs, Datum expected, long apart) {
        long farthest = 0;
        for (int draw = 0; apart > 0 && draw < DRAWS; draw++) {
            var steps = new Steps(new Random(draw), COUNTED_STEPS);
            Datum moved = plain.output(moved(model, steps), moved(inputs, steps));
            farthest = moved == null ? farthest : Math.max(farthest, countedApart(expected, moved));
        }
        if (farthest == 0) {
            return Share.NONE;
        }
        return farthest >= apart ? Share.ALL : farthest >= PART * apart ? Share.A_PART : Share.NONE;
    }

    /** Returns the difference of the numbers of elements; 0 if the outputs differ in more than these. */
    private static long countedApart(Datum expected, Datum actual) {
        return expected instanceof Tensor one
                        && actual instanceof Tensor other
                        && one.type() == other.type()
                        && one.shape().rank() > 0
                        && one.shape().rank() == other.shape().rank()
                ? Math.abs(one.elements() - other.elements())
                : 0;
    }

    /** Returns the largest difference of two numbers; infinity if the tensors cannot be compared. */
    static double distance(Datum expected, Datum actual) {
        if (!(expected instanceof Tensor one && actual instanceof Tensor other)
                || one.type() != other.type()
                || one.type() == ElementType.STRING
                || !one.shape().equals(other.shape())) {
            return Double.POSITIVE_INFINITY;
        }
        double largest = 0;
        for (long i = 0; i < one.elements(); i++) {
            double distance = distance(one, other, i);
            largest = Double.isNaN(distance) ? Double.POSITIVE_INFINITY : Math.max(largest, distance);
        }
        return largest;
    }

    /** Returns the sum of the differences of numbers that can be compared. */
    private static double sum(Datum expected, Datum actual) {
        double sum = 0;
        if (expected instanceof Tensor one && actual instanceof Tensor other) {
            for (long i = 0; i < one.elements(); i++) {
                sum += distance(one, other, i);
            }
        }
        return sum;
    }

    private static double distance(Tensor one, Tensor other, long at) {
        double a = Elements.getDouble(one.type(), one.segment(), at);
        double b = Elements.getDouble(one.type(), other.segment(), at);
        return a == b || Double.isNaN(a) && Double.isNaN(b) ? 0 : Math.abs(a - b);
    }

    private static Inputs moved(Inputs inputs, Steps steps) {
        var moved = Inputs.empty();
        inputs.asMap()
                .forEach((name, value) ->
                        moved.and(name, value instanceof Tensor tensor ? moved(tensor, steps) : value));
        return moved;
    }

    private static Tensor moved(Tensor tensor, Steps steps) {
        int bytes = switch (tensor.type()) {
            case FLOAT16, BFLOAT16 -> Short.BYTES;
            case FLOAT -> Float.BYTES;
            case DOUBLE -> Double.BYTES;
            default -> 0;
        };
        if (bytes == 0) {
            return tensor;
        }
        Tensor moved = Tensor.copyOf(tensor);
        ByteBuffer numbers = moved.segment().asByteBuffer().order(ByteOrder.nativeOrder());
        for (int i = 0; i < tensor.elements(); i++) {
            double number = Elements.getDouble(tensor.type(), tensor.segment(), i);
            int step = steps.next();
            if (number == 0 || !Double.isFinite(number)) {
                continue;
            }
            switch (bytes) {
                case Short.BYTES -> numbers.putShort(i * bytes, (short) (numbers.getShort(i * bytes) + step));
                case Float.BYTES -> numbers.putInt(i * bytes, numbers.getInt(i * bytes) + step);
                default -> numbers.putLong(i * bytes, numbers.getLong(i * bytes) + step);
            }
        }
        return moved;
    }

    /** Returns a copy of the model with perturbed weights, those of nested graphs included. */
    private static byte[] moved(byte[] model, Steps steps) {
        try {
            ModelProto.Builder builder = ModelProto.parseFrom(model).toBuilder();
            move(builder.getGraphBuilder(), steps);
            return builder.buildPartial().toByteArray();
        } catch (InvalidProtocolBufferException e) {
            return model;
        }
    }

    private static void move(GraphProto.Builder graph, Steps steps) {
        for (TensorProto.Builder weights : graph.getInitializerBuilderList()) {
            if (weights.getDataType() == TensorProto.DataType.FLOAT_VALUE) {
                weights.setRawData(moved(weights.getRawData(), steps));
                for (int i = 0; i < weights.getFloatDataCount(); i++) {
                    weights.setFloatData(i, moved(weights.getFloatData(i), steps));
                }
            }
        }
        for (NodeProto.Builder node : graph.getNodeBuilderList()) {
            node.getAttributeBuilderList().stream()
                    .filter(AttributeProto.Builder::hasG)
                    .forEach(body -> move(body.getGBuilder(), steps));
        }
    }

    private static ByteString moved(ByteString floats, Steps steps) {
        ByteBuffer moved = ByteBuffer.wrap(floats.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at + Float.BYTES <= moved.limit(); at += Float.BYTES) {
            moved.putFloat(at, moved(moved.getFloat(at), steps));
        }
        return ByteString.copyFrom(moved);
    }

    private static float moved(float number, Steps steps) {
        int step = steps.next();
        return number == 0 || !Float.isFinite(number)
                ? number
                : Float.intBitsToFloat(Float.floatToRawIntBits(number) + step);
    }
}
