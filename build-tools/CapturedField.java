import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.List;

/// A field that holds a value that lambdas capture. The lambdas of one companion share their fields.
record CapturedField(String name, ClassDesc type) {
    /// Returns the fields that lambdas need together: as many of each type as the lambda that needs most of it.
    static List<CapturedField> of(List<PlainLambda> lambdas) {
        var all = new ArrayList<CapturedField>();
        for (PlainLambda each : lambdas) {
            for (CapturedField field : of(each)) {
                if (!all.contains(field)) {
                    all.add(field);
                }
            }
        }
        return all;
    }

    /// Returns the field of each captured value of a lambda.
    static List<CapturedField> of(PlainLambda lambda) {
        var fields = new ArrayList<CapturedField>();
        for (ClassDesc captured : lambda.captured()) {
            ClassDesc type = stored(captured);
            String letter = type.isPrimitive() ? type.descriptorString().toLowerCase(java.util.Locale.ROOT) : "r";
            long before =
                    fields.stream().filter(each -> each.type().equals(type)).count();
            fields.add(new CapturedField(letter + before, type));
        }
        return fields;
    }

    private static ClassDesc stored(ClassDesc captured) {
        return switch (captured.descriptorString().charAt(0)) {
            case 'Z', 'B', 'C', 'S', 'I' -> CD_int;
            case 'J', 'F', 'D' -> captured;
            default -> CD_Object;
        };
    }
}
