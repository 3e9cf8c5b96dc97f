import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_char;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/// A method that Java generates for a record: `equals`, `hashCode` or `toString` over its components.
///
/// @param owner the record's class
/// @param simpleName the record's name in the source
record RecordMethod(String purpose, MethodTypeDesc type, ClassDesc owner, String simpleName, List<Component> components)
        implements PlainMethod {
    private static final String BOOTSTRAPS = "Ljava/lang/runtime/ObjectMethods;";
    private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");
    private static final ClassDesc BUILDER = ClassDesc.of("java.lang.StringBuilder");

    /// The field of a component.
    record Component(String name, ClassDesc type) {
        private boolean isReference() {
            return !type.isPrimitive();
        }

        private ClassDesc box() {
            return ClassDesc.of("java.lang."
                    + switch (type.descriptorString()) {
                        case "Z" -> "Boolean";
                        case "B" -> "Byte";
                        case "C" -> "Character";
                        case "S" -> "Short";
                        case "I" -> "Integer";
                        case "J" -> "Long";
                        case "F" -> "Float";
                        default -> "Double";
                    });
        }
    }

    static boolean isOne(InvokeDynamicInstruction dynamic) {
        return dynamic.bootstrapMethod().owner().descriptorString().equals(BOOTSTRAPS);
    }

    static RecordMethod of(InvokeDynamicInstruction dynamic, ClassModel model) {
        List<Component> components = dynamic.bootstrapArgs().stream()
                .skip(2)
                .map(DirectMethodHandleDesc.class::cast)
                .map(getter -> new Component(
                        getter.methodName(), getter.invocationType().returnType()))
                .toList();
        ClassDesc owner = (ClassDesc) dynamic.bootstrapArgs().getFirst();
        return new RecordMethod(
                dynamic.name().stringValue(), dynamic.typeSymbol(), owner, simpleName(model), components);
    }

    /// Returns the name of a class in its source. That of a local record follows a number in the binary name.
    private static String simpleName(ClassModel model) {
        return model.findAttribute(Attributes.innerClasses()).stream()
                .flatMap(attribute -> attribute.classes().stream())
                .filter(inner -> inner.innerClass().equals(model.thisClass()))
                .flatMap(inner -> inner.innerName().stream())
                .map(Utf8Entry::stringValue)
                .findFirst()
                .orElse(model.thisClass().asSymbol().displayName());
    }

    @Override
    public void write(CodeBuilder code) {
        switch (purpose) {
            case "equals" -> equality(code);
            case "hashCode" -> hash(code);
            case "toString" -> text(code);
            default -> throw new IllegalStateException("a record's " + purpose);
        }
    }

    private void equality(CodeBuilder code) {
        Label yes = code.newLabel();
        Label no = code.newLabel();
        code.aload(0).aload(1).if_acmpeq(yes);
        code.aload(1).instanceOf(owner).ifeq(no);
        code.aload(1).checkcast(owner).astore(2);
        for (Component each : components) {
            code.aload(0).getfield(owner, each.name(), each.type());
            code.aload(2).getfield(owner, each.name(), each.type());
            switch (TypeKind.from(each.type()).asLoadable()) {
                case INT -> code.if_icmpne(no);
                case LONG -> code.lcmp().ifne(no);
                // `compare` makes NaN equal to itself, and -0 different from 0
                case FLOAT, DOUBLE ->
                    code.invokestatic(each.box(), "compare", MethodTypeDesc.of(CD_int, each.type(), each.type()))
                            .ifne(no);
                default ->
                    code.invokestatic(OBJECTS, "equals", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object))
                            .ifeq(no);
            }
        }
        code.labelBinding(yes).iconst_1().ireturn();
        code.labelBinding(no).iconst_0().ireturn();
    }

    private void hash(CodeBuilder code) {
        code.iconst_0();
        for (Component each : components) {
            code.bipush(31).imul().aload(0).getfield(owner, each.name(), each.type());
            ClassDesc type = each.isReference() ? CD_Object : each.type();
            code.invokestatic(each.isReference() ? OBJECTS : each.box(), "hashCode", MethodTypeDesc.of(CD_int, type))
                    .iadd();
        }
        code.ireturn();
    }

    private void text(CodeBuilder code) {
        code.new_(BUILDER).dup().invokespecial(BUILDER, INIT_NAME, MethodTypeDesc.of(CD_void));
        String before = simpleName + "[";
        for (Component each : components) {
            append(code.loadConstant(before + each.name() + "="), CD_String);
            append(code.aload(0).getfield(owner, each.name(), each.type()), shown(each));
            before = ", ";
        }
        append(code.loadConstant(components.isEmpty() ? before + "]" : "]"), CD_String);
        code.invokevirtual(BUILDER, "toString", MethodTypeDesc.of(CD_String)).areturn();
    }

    /// Returns the parameter type of the string builder's method for a component.
    private static ClassDesc shown(Component component) {
        if (component.isReference()) {
            return CD_Object;
        }
        boolean isSmall = TypeKind.from(component.type()).asLoadable() == TypeKind.INT
                && !component.type().equals(CD_boolean)
                && !component.type().equals(CD_char);
        return isSmall ? CD_int : component.type();
    }

    private static void append(CodeBuilder code, ClassDesc type) {
        code.invokevirtual(BUILDER, "append", MethodTypeDesc.of(BUILDER, type));
    }
}
