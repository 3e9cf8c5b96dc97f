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
 * Tells answers that differ because the question is ill-conditioned: the plain way itself answers otherwise when the
 * numbers that are given move by one unit in the last place. Where that moves its answer by less than a quarter of a
 * difference, somebody is wrong. Where it moves the worst number as far, and all of them together a quarter as far, the
 * answers are as sure as each other: nobody who rounds can know better.
 */
final class Conditioning {
    private static final int DRAWS = 6;
    private static final double PART = 0.25;
    /** Steps are as large as each other but for their own roundings. */
    private static final double NEARLY_ALL = 0.999;
    /** Places by which sums are off that are added up in floats, of which those that are large enough are counted. */
    private static final int COUNTED_STEPS = 16;

    private final Plain plain;

    /** Answers for a model without any optimisation. */
    @FunctionalInterface
    interface Plain {
        /** An output of the model, or null where it does not answer. */
        @Nullable
        Datum output(byte[] model, Inputs inputs);
    }

    /** How much of a difference a unit in the last place makes. */
    enum Share {
        NONE,
        A_PART,
        ALL
    }

    /** By how many places each number moves: so many at most, this way or the other. */
    private record Steps(Random random, int most) {
        int next() {
            return random.nextInt(2 * most + 1) - most;
        }
    }

    Conditioning(Plain plain) {
        this.plain = plain;
    }

    /** What the last place of the numbers that are given does to the answer to these inputs. */
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

    /** The same where as many numbers as are large enough are there, and so many more or less of them. */
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

    /** How many more numbers one has than the other; 0 where they differ in more than how many there are. */
    private static long countedApart(Datum expected, Datum actual) {
        return expected instanceof Tensor one
                        && actual instanceof Tensor other
                        && one.type() == other.type()
                        && one.shape().rank() > 0
                        && one.shape().rank() == other.shape().rank()
                ? Math.abs(one.elements() - other.elements())
                : 0;
    }

    /** The largest difference of two numbers; infinite where they cannot be compared. */
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

    /** The sum of the differences of numbers that can be compared. */
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

    /** The same model, whose weights have moved, those of graphs inside of others, too. */
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
