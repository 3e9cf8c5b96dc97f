import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.NestHostAttribute;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// The companion class that implements all lambdas of one class that have the same interface.
///
/// @param type the interface
record LambdaCompanion(ClassDesc name, ClassDesc type, List<PlainLambda> lambdas) {
    private static final int PRIVATE_FINAL = ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL;
    private static final CapturedField WHICH = new CapturedField("which", CD_int);

    /// @param number the number of companions that the class has already
    static LambdaCompanion of(ClassDesc outer, ClassDesc type, int number) {
        String name = outer.displayName() + "$$" + type.displayName() + (number == 0 ? "" : "$" + number);
        return new LambdaCompanion(ClassDesc.of(outer.packageName(), name), type, new ArrayList<>());
    }

    /// Adds a lambda and returns the name of the static method that creates it.
    String add(PlainLambda lambda) {
        // a transform may run more than once
        if (!lambdas.contains(lambda)) {
            lambdas.add(lambda);
        }
        return maker(lambdas.indexOf(lambda));
    }

    private static String maker(int index) {
        return "make" + index;
    }

    private static String single(int index) {
        return "one" + index;
    }

    byte[] build(ClassFile classFile, ClassDesc host, ClassModel outer) {
        return classFile.build(name, builder -> {
            builder.withVersion(outer.majorVersion(), outer.minorVersion())
                    .withFlags(AccessFlag.FINAL, AccessFlag.SYNTHETIC, AccessFlag.SUPER)
                    .withInterfaceSymbols(type)
                    .with(NestHostAttribute.of(host));
            outer.findAttribute(Attributes.sourceFile()).ifPresent(builder::with);
            List<CapturedField> fields = fields();
            fields.forEach(each -> builder.withField(each.name(), each.type(), PRIVATE_FINAL));
            builder.withMethodBody(
                    INIT_NAME, constructor(fields), ClassFile.ACC_PRIVATE, code -> construct(code, fields));
            for (int i = 0; i < lambdas.size(); i++) {
                make(builder, fields, i);
            }
            if (lambdas.stream().anyMatch(LambdaCompanion::capturesNothing)) {
                builder.withMethodBody(
                        CLASS_INIT_NAME,
                        MethodTypeDesc.of(CD_void),
                        ClassFile.ACC_STATIC,
                        code -> makeSingles(code, fields));
            }
            methods(builder);
        });
    }

    private static boolean capturesNothing(PlainLambda lambda) {
        return lambda.captured().isEmpty();
    }

    private List<CapturedField> fields() {
        var fields = new ArrayList<CapturedField>();
        if (lambdas.size() > 1) {
            fields.add(WHICH);
        }
        fields.addAll(CapturedField.of(lambdas));
        return fields;
    }

    private static MethodTypeDesc constructor(List<CapturedField> fields) {
        return MethodTypeDesc.of(
                CD_void, fields.stream().map(CapturedField::type).toList());
    }

    private void construct(CodeBuilder code, List<CapturedField> fields) {
        code.aload(0).invokespecial(CD_Object, INIT_NAME, MethodTypeDesc.of(CD_void));
        int slot = 1;
        for (CapturedField each : fields) {
            TypeKind kind = TypeKind.from(each.type());
            code.aload(0).loadLocal(kind, slot).putfield(name, each.name(), each.type());
            slot += kind.slotSize();
        }
        code.return_();
    }

    /// Creates a lambda from its captured values, in local variables, and zeros for the fields
    /// that only other lambdas use.
    private void makeNew(CodeBuilder code, List<CapturedField> fields, int index) {
        List<CapturedField> mine = CapturedField.of(lambdas.get(index));
        code.new_(name).dup();
        for (CapturedField each : fields) {
            TypeKind kind = TypeKind.from(each.type());
            int at = mine.indexOf(each);
            if (each.equals(WHICH)) {
                code.loadConstant(index);
            } else if (at >= 0) {
                int slot = mine.subList(0, at).stream()
                        .mapToInt(before -> TypeKind.from(before.type()).slotSize())
                        .sum();
                code.loadLocal(kind, slot);
            } else {
                zero(code, kind);
            }
        }
        code.invokespecial(name, INIT_NAME, constructor(fields));
    }

    private static void zero(CodeBuilder code, TypeKind kind) {
        switch (kind) {
            case LONG -> code.lconst_0();
            case FLOAT -> code.fconst_0();
            case DOUBLE -> code.dconst_0();
            case REFERENCE -> code.aconst_null();
            default -> code.iconst_0();
        }
    }

    private void makeSingles(CodeBuilder code, List<CapturedField> fields) {
        for (int i = 0; i < lambdas.size(); i++) {
            if (capturesNothing(lambdas.get(i))) {
                makeNew(code, fields, i);
                code.putstatic(name, single(i), type);
            }
        }
        code.return_();
    }

    private void make(ClassBuilder builder, List<CapturedField> fields, int index) {
        boolean once = capturesNothing(lambdas.get(index));
        if (once) {
            builder.withField(single(index), type, PRIVATE_FINAL | ClassFile.ACC_STATIC);
        }
        builder.withMethodBody(maker(index), lambdas.get(index).factory(), ClassFile.ACC_STATIC, code -> {
            if (once) {
                code.getstatic(name, single(index), type);
            } else {
                makeNew(code, fields, index);
            }
            code.areturn();
        });
    }

    private void methods(ClassBuilder builder) {
        var bySignature = new LinkedHashMap<String, List<Integer>>();
        for (int i = 0; i < lambdas.size(); i++) {
            PlainLambda each = lambdas.get(i);
            String signature = each.method() + each.erased().descriptorString();
            bySignature.computeIfAbsent(signature, _ -> new ArrayList<>()).add(i);
        }
        bySignature.values().forEach(group -> {
            PlainLambda first = lambdas.get(group.getFirst());
            builder.withMethodBody(first.method(), first.erased(), ClassFile.ACC_PUBLIC, code -> choose(code, group));
        });
    }

    private void choose(CodeBuilder code, List<Integer> group) {
        if (group.size() > 1) {
            var cases = new ArrayList<SwitchCase>();
            for (int each : group.subList(1, group.size())) {
                cases.add(SwitchCase.of(each, code.newLabel()));
            }
            Label first = code.newLabel();
            code.aload(0).getfield(name, WHICH.name(), CD_int).tableswitch(first, cases);
            for (SwitchCase each : cases) {
                code.labelBinding(each.target());
                call(code, each.caseValue());
            }
            code.labelBinding(first);
        }
        call(code, group.getFirst());
    }

    private void call(CodeBuilder code, int index) {
        PlainLambda lambda = lambdas.get(index);
        lambda.call(code, name, CapturedField.of(lambda));
    }
}
