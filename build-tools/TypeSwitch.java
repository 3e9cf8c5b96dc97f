import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/// The selection of a switch over types: the first label from a start index on that the selector is an instance of.
record TypeSwitch(MethodTypeDesc type, List<ClassDesc> labels) implements PlainMethod {
    private static final String BOOTSTRAPS = "Ljava/lang/runtime/SwitchBootstraps;";

    /// Whether an instruction is a switch whose labels are types alone, without constants.
    static boolean isOne(InvokeDynamicInstruction dynamic) {
        return dynamic.bootstrapMethod().owner().descriptorString().equals(BOOTSTRAPS)
                && dynamic.bootstrapMethod().methodName().equals("typeSwitch")
                && dynamic.bootstrapArgs().stream().allMatch(ClassDesc.class::isInstance);
    }

    static TypeSwitch of(InvokeDynamicInstruction dynamic) {
        List<ClassDesc> labels =
                dynamic.bootstrapArgs().stream().map(ClassDesc.class::cast).toList();
        return new TypeSwitch(dynamic.typeSymbol(), labels);
    }

    @Override
    public String purpose() {
        return "typeSwitch";
    }

    @Override
    public void write(CodeBuilder code) {
        Label some = code.newLabel();
        code.aload(0).ifnonnull(some).iconst_m1().ireturn().labelBinding(some);
        for (int i = 0; i < labels.size(); i++) {
            Label next = code.newLabel();
            code.iload(1).loadConstant(i).if_icmpgt(next);
            code.aload(0).instanceOf(labels.get(i)).ifeq(next);
            code.loadConstant(i).ireturn().labelBinding(next);
        }
        code.loadConstant(labels.size()).ireturn();
    }
}
