import java.lang.classfile.CodeBuilder;
import java.lang.constant.MethodTypeDesc;

/// A static method that does what an `invokedynamic` of its class did.
interface PlainMethod {
    /// What it does, as the first part of its name.
    String purpose();

    MethodTypeDesc type();

    void write(CodeBuilder code);
}
