import java.lang.classfile.CodeBuilder;
import java.lang.constant.MethodTypeDesc;

/// A static method that replaces an `invokedynamic` of its class.
interface PlainMethod {
    /// The purpose of the method, which its name begins with.
    String purpose();

    MethodTypeDesc type();

    void write(CodeBuilder code);
}
