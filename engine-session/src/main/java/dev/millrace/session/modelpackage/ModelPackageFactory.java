package dev.millrace.session.modelpackage;

import dev.millrace.session.ModelPackage;
import java.nio.file.Path;
import java.util.function.Function;

/** Opens packages for {@link ModelPackage#open}, which finds this class by its name. */
public final class ModelPackageFactory implements Function<Path, ModelPackage> {
    @Override
    public ModelPackage apply(Path folder) {
        return OpenModelPackage.read(folder);
    }
}
