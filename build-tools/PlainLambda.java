import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;

/// One lambda, as javac passes it to `LambdaMetafactory`.
///
/// @param method the name of the interface's method
/// @param factory the types of the captured values, and the interface
/// @param erased the erased type of the interface's method
/// @param instantiated the type of that method with the lambda's type arguments
/// @param body the method that the lambda calls
record PlainLambda(
        String method,
        MethodTypeDesc factory,
        MethodTypeDesc erased,
        MethodTypeDesc instantiated,
        DirectMethodHandleDesc body) {
    private static final Map<Character, ClassDesc> BOXES = Map.of(
            'Z', ClassDesc.of("java.lang.Boolean"),
            'B', ClassDesc.of("java.lang.Byte"),
            'C', ClassDesc.of("java.lang.Character"),
            'S', ClassDesc.of("java.lang.Short"),
            'I', ClassDesc.of("java.lang.Integer"),
            'J', ClassDesc.of("java.lang.Long"),
            'F', ClassDesc.of("java.lang.Float"),
            'D', ClassDesc.of("java.lang.Double"));

    static PlainLambda of(InvokeDynamicInstruction dynamic) {
        return new PlainLambda(
                dynamic.name().stringValue(),
                dynamic.typeSymbol(),
                (MethodTypeDesc) dynamic.bootstrapArgs().get(0),
                (MethodTypeDesc) dynamic.bootstrapArgs().get(2),
                (DirectMethodHandleDesc) dynamic.bootstrapArgs().get(1));
    }

    List<ClassDesc> captured() {
        return factory.parameterList();
    }

    /**
     * Writes the call of the body with the captured values and the arguments, and the return of its result.
     *
     * @param fields the fields of {@code this} that hold the captured values
     */
    void call(CodeBuilder code, ClassDesc companion, List<CapturedField> fields) {
        boolean makes = body.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR;
        if (makes) {
            code.new_(body.owner()).dup();
        }
        List<ClassDesc> wanted = body.invocationType().parameterList();
        int captured = captured().size();
        for (int i = 0; i < captured; i++) {
            CapturedField field = fields.get(i);
            code.aload(0).getfield(companion, field.name(), field.type());
            convert(code, captured().get(i).isPrimitive() ? captured().get(i) : CD_Object, wanted.get(i));
        }
        int slot = 1;
        for (int i = 0; i < erased.parameterCount(); i++) {
            ClassDesc given = erased.parameterType(i);
            TypeKind kind = TypeKind.from(given);
            code.loadLocal(kind, slot);
            slot += kind.slotSize();
            convert(code, given, instantiated.parameterType(i));
            convert(code, instantiated.parameterType(i), wanted.get(captured + i));
        }
        callBody(code);
        returned(code, makes ? body.owner() : body.invocationType().returnType());
    }

    private void callBody(CodeBuilder code) {
        ClassDesc owner = body.owner();
        String name = body.methodName();
        MethodTypeDesc type = MethodTypeDesc.ofDescriptor(body.lookupDescriptor());
        switch (body.kind()) {
            case STATIC, INTERFACE_STATIC -> code.invokestatic(owner, name, type, body.isOwnerInterface());
            case CONSTRUCTOR -> code.invokespecial(owner, name, type);
            // a private method of the class is accessible in the same nest
            case VIRTUAL, SPECIAL -> code.invokevirtual(owner, name, type);
            case INTERFACE_VIRTUAL, INTERFACE_SPECIAL -> code.invokeinterface(owner, name, type);
            default -> throw new IllegalStateException("a lambda of " + body.kind());
        }
    }

    private void returned(CodeBuilder code, ClassDesc result) {
        if (erased.returnType().equals(CD_void)) {
            switch (TypeKind.from(result).slotSize()) {
                case 1 -> code.pop();
                case 2 -> code.pop2();
                default -> {}
            }
            code.return_();
            return;
        }
        convert(code, result, instantiated.returnType());
        convert(code, instantiated.returnType(), erased.returnType());
        code.return_(TypeKind.from(erased.returnType()));
    }

    private static void convert(CodeBuilder code, ClassDesc from, ClassDesc to) {
        if (from.equals(to)) {
            return;
        }
        if (from.isPrimitive() && to.isPrimitive()) {
            code.conversion(TypeKind.from(from), TypeKind.from(to));
        } else if (from.isPrimitive()) {
            ClassDesc box = boxOf(from);
            code.invokestatic(box, "valueOf", MethodTypeDesc.of(box, from));
        } else if (to.isPrimitive()) {
            unbox(code, from, to);
        } else if (!to.equals(CD_Object)) {
            code.checkcast(to);
        }
    }

    private static void unbox(CodeBuilder code, ClassDesc from, ClassDesc to) {
        for (var each : BOXES.entrySet()) {
            if (each.getValue().equals(from)) {
                ClassDesc primitive = ClassDesc.ofDescriptor(each.getKey().toString());
                code.invokevirtual(from, primitive.displayName() + "Value", MethodTypeDesc.of(primitive));
                convert(code, primitive, to);
                return;
            }
        }
        ClassDesc box = boxOf(to);
        code.checkcast(box).invokevirtual(box, to.displayName() + "Value", MethodTypeDesc.of(to));
    }

    private static ClassDesc boxOf(ClassDesc primitive) {
        return BOXES.get(primitive.descriptorString().charAt(0));
    }
}
