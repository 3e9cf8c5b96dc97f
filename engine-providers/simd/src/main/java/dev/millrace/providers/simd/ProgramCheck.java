package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.SimdProgram.Instruction;
import dev.millrace.providers.simd.SimdProgram.Product;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;

/**
 * Checks a program that may come from anywhere: after it, no number in the program leads outside of anything, whatever
 * the shapes of the inputs. It looks at the sizes of segments and never at what is in them.
 */
final class ProgramCheck {
    private final SimdProgram program;
    private final List<MemorySegment> segments;
    private final ProductKernel products;

    private ProgramCheck(SimdProgram program, List<MemorySegment> segments, ProductKernel products) {
        this.program = program;
        this.segments = segments;
        this.products = products;
    }

    /** Throws with what is wrong. */
    static void check(SimdProgram program, List<MemorySegment> segments, ProductKernel products) {
        try {
            new ProgramCheck(program, segments, products).run();
        } catch (ArithmeticException e) {
            throw EngineException.invalidGraph("a size in the program exceeds 64 bits");
        }
    }

    private void run() {
        if (!program.layout().equals(products.layout())) {
            throw EngineException.invalidGraph("the weights of the compiled program are packed as '" + program.layout()
                    + "', but '" + products.layout() + "' is what can be read; compile the model again");
        }
        require(program.inputs() >= 0, "it has less than no input", program.inputs());
        for (SimdProgram.Constant constant : program.constants()) {
            long bytes = ElementType.FLOAT.bytes(constant.shape().elements());
            require(constant.offset() >= 0, "a constant begins before its segment", constant);
            require(
                    Math.addExact(constant.offset(), bytes) <= size(constant.segment()),
                    "a constant ends behind its segment",
                    constant);
        }
        for (int i = 0; i < program.instructions().size(); i++) {
            instruction(i, program.instructions().get(i));
        }
        List<Integer> outputs = program.outputs();
        for (Integer output : outputs) {
            require(output >= 0 && output < program.instructions().size(), "an output is no result", output);
        }
        require(new HashSet<>(outputs).size() == outputs.size(), "two outputs are one result", outputs);
    }

    private void instruction(int index, Instruction instruction) {
        switch (instruction) {
            case SimdProgram.Elementwise elementwise ->
                expression(index, elementwise.expression(), false, Expression.MOST_REGISTERS);
            case Product product -> product(index, product);
        }
    }

    private void product(int index, Product product) {
        source(index, product.x(), false);
        require(inRange(product.k()) && inRange(product.n()), "weights have no such size", product);
        long bytes = products.packedBytes(product.k(), product.n());
        require(bytes == size(product.segment()), "weights and their segment differ in size", product);
        Source bias = product.bias();
        if (bias != null) {
            source(index, bias, false);
            require(bias.kind() == Source.Kind.CONSTANT, "a bias is no constant", product);
            Shape shape = program.constants().get(bias.index()).shape();
            require(shape.elements() == product.n(), "a bias has another length than the weights", product);
        }
        Expression expression = product.expression();
        if (expression != null) {
            require(expression.operands().contains(Source.PRODUCT), "a product is computed for nothing", product);
            expression(index, expression, true, Product.MOST_REGISTERS);
        }
    }

    private void expression(int index, Expression expression, boolean ofProduct, int mostRegisters) {
        for (Source operand : expression.operands()) {
            source(index, operand, ofProduct);
        }
        int registers = expression.registers();
        require(
                registers > 0 && registers <= mostRegisters,
                "an expression has too many registers, or none",
                registers);
        require(!expression.steps().isEmpty(), "an expression has no steps", index);
        boolean[] written = new boolean[registers];
        for (Expression.Step step : expression.steps()) {
            step(step, written, expression.operands().size());
        }
    }

    private static void step(Expression.Step step, boolean[] written, int operands) {
        require(step.target() >= 0 && step.target() < written.length, "a step has no target", step);
        int arity = step.op().arity();
        if (step.op() == Op.LOAD) {
            require(step.a() >= 0 && step.a() < operands, "a step loads no operand", step);
        } else {
            require(readable(step.a(), step.target(), written), "a step reads what it must not", step);
        }
        require(
                arity == 2 ? readable(step.b(), step.target(), written) : step.b() == 0,
                "a step reads what it must not",
                step);
        written[step.target()] = true;
    }

    private static boolean readable(int register, int target, boolean[] written) {
        return register >= 0 && register < written.length && register != target && written[register];
    }

    private void source(int instruction, Source source, boolean ofProduct) {
        int count = switch (source.kind()) {
            case INPUT -> program.inputs();
            case CONSTANT -> program.constants().size();
            case RESULT -> instruction;
            case PRODUCT -> ofProduct ? 1 : 0;
        };
        require(source.index() >= 0 && source.index() < count, "there is no such value", source);
    }

    private long size(int segment) {
        require(segment >= 0 && segment < segments.size(), "there is no such segment", segment);
        return segments.get(segment).byteSize();
    }

    private static boolean inRange(long extent) {
        return extent > 0 && extent <= Integer.MAX_VALUE;
    }

    private static void require(boolean holds, String damage, Object where) {
        if (!holds) {
            throw EngineException.invalidGraph("the compiled program is damaged: " + damage + ": " + where);
        }
    }
}
