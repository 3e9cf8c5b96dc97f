package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.AccessVisitor;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Variable;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Infers the role of each variable from a program alone, from the uses back to the sources of the values: a value that
 * is added to the base of an address is a pointer, and so on.
 */
final class Roles extends AccessVisitor {
    private static final int HALF = 32;

    private final BitSet pointers = new BitSet();
    private final BitSet lanes = new BitSet();
    private final BitSet pairs = new BitSet();
    private final BitSet indices = new BitSet();

    private Roles() {}

    static Roles of(Program program) {
        Roles roles = new Roles();
        int known = -1;
        while (roles.size() > known) {
            known = roles.size();
            for (Step step : program.steps()) {
                step.accept(roles);
            }
        }
        return roles;
    }

    private int size() {
        return pointers.cardinality() + lanes.cardinality() + pairs.cardinality() + indices.cardinality();
    }

    /** Returns the role of a scalar. */
    Role of(Variable scalar) {
        int id = scalar.id();
        return pointers.get(id) ? Role.POINTER : pairs.get(id) ? Role.PAIR : lanes.get(id) ? Role.LANES : Role.NUMBER;
    }

    /** Returns the role of the elements that are read into a vector. */
    Role ofElements(Variable vector) {
        return indices.get(vector.id()) ? Role.INDEX : Role.DATA;
    }

    @Override
    protected void read(Variable variable) {}

    @Override
    protected void write(Variable variable) {}

    private static void spread(BitSet role, Variable to, @Nullable Variable from) {
        if (from != null && role.get(to.id())) {
            role.set(from.id());
        }
    }

    @Override
    protected void after(Step step) {
        switch (step) {
            case Step.Load load -> base(load.from());
            case Step.Spread spread -> base(spread.from());
            case Step.Store store -> base(store.to());
            case Step.StorePart store -> base(store.to());
            case Step.ScalarLoad load -> base(load.from());
            case Step.Move move -> {
                base(move.from());
                base(move.to());
            }
            case Step.Gather gather -> {
                pointers.set(gather.base().id());
                indices.set(gather.indices().id());
            }
            case Step.FirstLanes first -> lanes.set(first.count().id());
            case Step.ScalarCopy copy -> {
                spread(pointers, copy.to(), copy.from());
                spread(lanes, copy.to(), copy.from());
                spread(pairs, copy.to(), copy.from());
            }
            case Step.Scalar scalar -> sums(scalar);
            case Step.Unary unary -> index(unary.to(), unary.a());
            case Step.Binary binary -> {
                index(binary.to(), binary.a());
                index(binary.to(), binary.b());
            }
            case Step.Select select -> {
                index(select.to(), select.then());
                index(select.to(), select.otherwise());
            }
            case Step.Permute permute -> index(permute.to(), permute.from());
            default -> {}
        }
    }

    private void base(Address address) {
        pointers.set(address.base().id());
    }

    private void index(Variable to, Object from) {
        if (from instanceof Variable variable) {
            spread(indices, to, variable);
        }
    }

    private void sums(Step.Scalar step) {
        boolean half = step.b() == null && step.constant() == HALF;
        if (half
                && (step.op() == ScalarOp.SHR || step.op() == ScalarOp.SHL)
                && !step.to().equals(step.a())) {
            pairs.set(step.a().id());
            spread(lanes, step.to(), step.a());
        } else if (step.op() == ScalarOp.ADD || step.op() == ScalarOp.SUB) {
            spread(pointers, step.to(), step.a());
        } else if (step.op() == ScalarOp.MIN || step.op() == ScalarOp.MAX) {
            spread(pointers, step.to(), step.a());
            spread(pointers, step.to(), step.b());
        }
    }
}
