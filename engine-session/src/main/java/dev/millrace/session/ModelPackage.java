package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.session.modelpackage.Manifest;
import dev.millrace.session.modelpackage.Variant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A folder with one or several models, the components, each in several forms, the variants, of which a session takes the one
 * that suits the machine best. What its manifest names lies in the folder. Immutable: opened once, it does not see changes.
 */
public final class ModelPackage {
    private final Path folder;
    private final Map<String, List<Variant>> components;

    private ModelPackage(Path folder, Map<String, List<Variant>> components) {
        this.folder = folder;
        this.components = components;
    }

    /** Reads the manifest of a package, and looks whether what it names is there and is what it was. */
    public static ModelPackage open(Path folder) {
        return new ModelPackage(folder, Manifest.read(Failures.given(folder, "folder")));
    }

    public Path folder() {
        return folder;
    }

    /** The names of the components. */
    public List<String> components() {
        return List.copyOf(components.keySet());
    }

    /** The names of a component's variants, in the order in which they are declared. */
    public List<String> variants(String component) {
        return variantsOf(component).stream().map(Variant::name).toList();
    }

    List<Variant> variantsOf(String component) {
        List<Variant> variants = components.get(Failures.given(component, "component"));
        if (variants == null) {
            throw EngineException.invalidArgument(
                    "package " + folder + " has no component '" + component + "'; there are " + components.keySet());
        }
        return variants;
    }

    @Override
    public String toString() {
        return PlainText.line("model package " + folder + " of " + components.keySet());
    }
}
