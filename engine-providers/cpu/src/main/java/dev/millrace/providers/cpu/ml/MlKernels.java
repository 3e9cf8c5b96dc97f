package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.ir.Node;
import dev.millrace.providers.cpu.move.CellKernel;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of ai.onnx.ml. */
public final class MlKernels {
    private MlKernels() {}

    /** The kernel for this node of ai.onnx.ml, or null where there is none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "ArrayFeatureExtractor" -> CellKernel.of(Features.extractor(node));
            case "Binarizer" -> Features.binarizer(node);
            case "FeatureVectorizer" -> Features.vectorizer(node);
            case "Imputer" -> Features.imputer(node);
            case "Normalizer" -> Features.normalizer(node);
            case "OneHotEncoder" -> Features.oneHot(node);
            case "Scaler" -> Features.scaler(node);
            case "CategoryMapper" -> Labels.mapper(node);
            case "LabelEncoder" -> Labels.encoder(node);
            case "CastMap" -> Maps.cast(node);
            case "DictVectorizer" -> Maps.vectorizer(node);
            case "ZipMap" -> Maps.zip(node);
            case "LinearClassifier" -> LinearModels.classifier(node);
            case "LinearRegressor" -> LinearModels.regressor(node);
            case "SVMClassifier" -> SupportVectors.classifier(node);
            case "SVMRegressor" -> SupportVectors.regressor(node);
            case "TreeEnsemble" -> Trees.ensemble(node);
            case "TreeEnsembleClassifier" -> Trees.classifier(node);
            case "TreeEnsembleRegressor" -> Trees.regressor(node);
            default -> null;
        };
    }
}
