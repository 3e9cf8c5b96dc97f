package dev.millrace.session.modelpackage;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.session.ModelPackage;
import dev.millrace.session.util.Failures;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A package whose manifest was read: the variants by the names of their components. */
public final class OpenModelPackage implements ModelPackage {
    private final Path folder;
    private final Map<String, List<Variant>> components;

    private OpenModelPackage(Path folder, Map<String, List<Variant>> components) {
        this.folder = folder;
        this.components = components;
    }

    static ModelPackage read(Path folder) {
        return new OpenModelPackage(folder, Manifest.read(Failures.requireArgument(folder, "folder")));
    }

    /** Returns a package as the engine reads it; refuses other implementations of the interface. */
    public static OpenModelPackage of(ModelPackage pack) {
        if (Failures.requireArgument(pack, "pack") instanceof OpenModelPackage open) {
            return open;
        }
        throw EngineException.invalidArgument("a model package comes from ModelPackage.open, this is a "
                + pack.getClass().getName());
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public List<String> components() {
        return List.copyOf(components.keySet());
    }

    @Override
    public List<String> variants(String component) {
        return variantsOf(component).stream().map(Variant::name).toList();
    }

    List<Variant> variantsOf(String component) {
        List<Variant> variants = components.get(Failures.requireArgument(component, "component"));
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
