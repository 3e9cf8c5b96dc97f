package dev.millrace.session;

import java.nio.file.Path;
import java.util.List;

/**
 * A folder with one or several models, the components, each in several forms, the variants, of which a session takes the one
 * that suits the machine best. What its manifest names lies in the folder. Immutable: opened once, it does not see changes.
 */
public interface ModelPackage {
    /** Reads the manifest of a package, and looks whether what it names is there and is what it was. */
    static ModelPackage open(Path folder) {
        return Implementations.<Path, ModelPackage>named("modelpackage.ModelPackageFactory")
                .apply(folder);
    }

    Path folder();

    /** The names of the components. */
    List<String> components();

    /** The names of a component's variants, in the order in which they are declared. */
    List<String> variants(String component);
}
