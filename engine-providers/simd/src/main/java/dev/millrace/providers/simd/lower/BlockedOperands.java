package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** An expression over images in blocks of channels: which operands it can have, and how they lie. */
final class BlockedOperands {
    private final PartitionCompiler lowering;
    private final ValueState result;
    private final int block;

    BlockedOperands(PartitionCompiler lowering, ValueState result) {
        this.lowering = lowering;
        this.result = result;
        block = lowering.environment().block();
    }

    /** Whether the result is better computed in blocks: an operand lies so, and all others can. */
    boolean suit(List<ValueState> inputs, Expr expression) {
        if (result.shape().rank() < 3 || !result.isFloat()) {
            return false;
        }
        boolean any = false;
        for (ValueState input : inputs) {
            if (!input.isFloat() || !isImages(input) && !isPerChannel(input) && input.elements() != 1) {
                return false;
            }
            any |= isImages(input) && input.isBlockedOnly();
        }
        return any && (result.shape().dim(1) % block == 0 || isTame(expression));
    }

    private boolean isImages(ValueState input) {
        return input.shape().equals(result.shape());
    }

    /** Whether there is one number for each channel, for all images or each image. */
    private boolean isPerChannel(ValueState input) {
        Shape shape = input.shape();
        int missing = result.shape().rank() - shape.rank();
        for (int i = 0; i < shape.rank(); i++) {
            int axis = i + missing;
            boolean fits = switch (axis) {
                case 0 -> shape.dim(i) == 1 || shape.dim(i) == result.shape().dim(0);
                case 1 -> shape.dim(i) == result.shape().dim(1);
                default -> shape.dim(i) == 1;
            };
            if (!fits) {
                return false;
            }
        }
        boolean ofEachImage = missing == 0 && shape.dim(0) > 1;
        return missing <= 1 && (missing == 0 || input.isKnown()) && (!ofEachImage || !input.isKnown());
    }

    /** Whether what fills up the last block stays a number, for zeros times infinity are none. */
    private static boolean isTame(Expr expression) {
        return switch (expression) {
            case Expr.Input _, Expr.Single _, Expr.Literal _ -> true;
            case Expr.Convert(var _, Expr argument) -> isTame(argument);
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) ->
                isTame(condition) && isTame(then) && isTame(otherwise);
            case Expr.Apply(FloatFunction function, Expr argument) -> isTame(function) && isTame(argument);
            case Expr.Combine(Operator operator, Expr left, Expr right) ->
                isTame(left)
                        && isTame(right)
                        && (isTame(operator) || operator == Operator.DIV && right instanceof Expr.Literal);
        };
    }

    private static boolean isTame(FloatFunction function) {
        return switch (function) {
            case NEGATE, ABS, RELU, ERF, ERF_AS_RATIO, TANH, SIGMOID, ROUND, FLOOR, CEIL, TRUNCATE, SIN, COS -> true;
            default -> false;
        };
    }

    private static boolean isTame(Operator operator) {
        return switch (operator) {
            case ADD, SUB, MUL, MAX, MIN -> true;
            default -> operator.isComparison();
        };
    }

    /** Images, blocks of channels, pixels, channels of a block. */
    List<Long> extents() {
        Shape shape = result.shape();
        long blocks = Math.ceilDiv(shape.dim(1), block);
        return List.of(shape.dim(0), blocks, shape.elements(2, shape.rank()), (long) block);
    }

    List<View> views(List<ValueState> inputs) {
        var views = new ArrayList<View>();
        for (ValueState input : inputs) {
            if (isImages(input)) {
                views.add(lowering.blocked(input));
            } else if (input.elements() == 1) {
                views.add(lowering.dense(input));
            } else {
                Tensor known = input.known();
                views.add(known == null ? lowering.blocked(input) : filledUp(known));
            }
        }
        return views;
    }

    /** A constant for each channel, with zeros up to a whole block. */
    private View filledUp(Tensor channels) {
        long elements = Math.ceilDiv(channels.elements(), block) * block;
        MemorySegment memory = lowering.environment()
                .weights()
                .packed(channels, "channels in blocks of " + block, Float.BYTES * elements, target -> {
                    target.fill((byte) 0);
                    target.copyFrom(channels.segment());
                });
        return View.dense(Storage.constant(memory), channels.type(), Shape.of(elements));
    }

    List<List<Long>> strides(List<ValueState> inputs) {
        List<Long> extents = extents();
        long pixels = extents.get(2) * block;
        var strides = new ArrayList<List<Long>>();
        for (ValueState input : inputs) {
            if (isImages(input)) {
                strides.add(List.of(extents.get(1) * pixels, pixels, (long) block, 1L));
            } else if (input.elements() == 1) {
                strides.add(List.of(0L, 0L, 0L, 0L));
            } else {
                boolean ofEachImage = input.shape().rank() == result.shape().rank()
                        && input.shape().dim(0) > 1;
                strides.add(List.of(ofEachImage ? extents.get(1) * block : 0L, (long) block, 0L, 1L));
            }
        }
        return strides;
    }
}
