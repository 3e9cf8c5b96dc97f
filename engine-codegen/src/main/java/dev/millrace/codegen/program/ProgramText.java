package dev.millrace.codegen.program;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes a program down for a reader. */
final class ProgramText implements StepVisitor {
    private final StringBuilder text = new StringBuilder();
    private int depth = 1;

    private ProgramText() {}

    static String of(Program program) {
        ProgramText writer = new ProgramText();
        writer.text.append("kernel ").append(program.name()).append('(');
        List<ScalarVar> parameters = program.parameters();
        for (int i = 0; i < parameters.size(); i++) {
            writer.text.append(i == 0 ? "" : ", ").append(parameters.get(i));
        }
        writer.text.append(") for ").append(program.target().name()).append(" {\n");
        writer.all(program.steps());
        return writer.text.append("}\n").toString();
    }

    private void all(List<Step> steps) {
        for (Step step : steps) {
            step.accept(this);
        }
    }

    private void line(Object... parts) {
        text.repeat("    ", depth);
        for (Object part : parts) {
            text.append(part);
        }
        text.append('\n');
    }

    private static String masked(@Nullable MaskVar mask) {
        return mask == null ? "" : " where " + mask;
    }

    @Override
    public void unary(Step.Unary step) {
        String name = step.op() == UnaryOp.COPY ? "" : step.op().name().toLowerCase(Locale.ROOT) + " ";
        line(step.to(), " = ", name, step.a());
    }

    @Override
    public void binary(Step.Binary step) {
        line(step.to(), " = ", step.a(), " ", step.op().symbol(), " ", step.b());
    }

    @Override
    public void wide(Step.Wide step) {
        line(step.to(), " = ", step.a(), " ", step.op().symbol(), " ", step.b());
    }

    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        line(step.to(), " = ", step.c(), step.negated() ? " - " : " + ", step.a(), " * ", step.b());
    }

    @Override
    public void compare(Step.Compare step) {
        line(step.to(), " = ", step.a(), " ", step.op().symbol(), " ", step.b());
    }

    @Override
    public void select(Step.Select step) {
        line(step.to(), " = ", step.mask(), " ? ", step.then(), " : ", step.otherwise());
    }

    @Override
    public void load(Step.Load step) {
        line(step.to(), " = ", type(step.element()), step.from(), masked(step.mask()));
    }

    @Override
    public void spread(Step.Spread step) {
        line(step.to(), " = spread ", type(step.element()), step.from());
    }

    @Override
    public void store(Step.Store step) {
        String streamed = step.streamed() ? "stream " : "";
        line(streamed, type(step.element()), step.to(), " = ", step.from(), masked(step.mask()));
    }

    @Override
    public void storePart(Step.StorePart step) {
        String first = step.first() == 0 ? "first " : "from " + step.first() + " ";
        line(first, step.lanes() == 1 ? "" : step.lanes() + " ", step.to(), " = ", step.from());
    }

    private static String type(Element element) {
        return element == Element.WORD ? "" : element.name().toLowerCase(Locale.ROOT) + " ";
    }

    @Override
    public void dot(Step.Dot step) {
        line(step.to(), " += ", step.a(), " ", step.op().symbol(), " ", step.b());
    }

    @Override
    public void permute(Step.Permute step) {
        line(step.to(), " = ", step.from(), " in lanes ", step.lanes());
    }

    @Override
    public void gather(Step.Gather step) {
        line(step.to(), " = [", step.base(), " + ", step.indices(), " * 4]", masked(step.mask()));
    }

    @Override
    public void spreadScalar(Step.SpreadScalar step) {
        line(step.to(), " = spread ", step.from());
    }

    @Override
    public void scalarLoad(Step.ScalarLoad step) {
        line(step.to(), " = ", step.wide() ? "" : "int ", step.from());
    }

    @Override
    public void move(Step.Move step) {
        line(step.to(), " = ", step.bytes(), " bytes of ", step.from());
    }

    @Override
    public void reduce(Step.Reduce step) {
        line(step.to(), " = all lanes of ", step.from(), " by ", step.op().symbol());
    }

    @Override
    public void prefixMask(Step.FirstLanes step) {
        line(step.to(), " = first ", step.count(), " lanes");
    }

    @Override
    public void movemask(Step.LaneBits step) {
        line(step.to(), " = lanes of ", step.from());
    }

    @Override
    public void prefetch(Step.Prefetch step) {
        line(step.later() ? "prefetch for later " : "prefetch ", step.at());
    }

    @Override
    public void scalar(Step.Scalar step) {
        Object b = step.b() == null ? step.constant() : step.b();
        line(step.to(), " = ", step.a(), " ", step.op().symbol(), " ", b);
    }

    @Override
    public void scalarCopy(Step.ScalarCopy step) {
        Object from = step.from() == null ? step.constant() : step.from();
        line(step.to(), " = ", from);
    }

    @Override
    public void loop(Step.Loop step) {
        line("while ", step.counter(), " >= ", step.step(), ", less ", step.step(), " each time {");
        nested(step.body());
        line("}");
    }

    @Override
    public void branch(Step.If step) {
        line("if ", step.value(), " != 0 {");
        nested(step.then());
        if (!step.otherwise().isEmpty()) {
            line("} else {");
            nested(step.otherwise());
        }
        line("}");
    }

    private void nested(List<Step> steps) {
        depth++;
        all(steps);
        depth--;
    }
}
