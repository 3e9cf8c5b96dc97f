/// Models by name from S3 and stores that speak its protocol.
module dev.millrace.models.s3 {
    requires transitive dev.millrace.models;
    requires software.amazon.awssdk.auth;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.urlconnection;
    requires software.amazon.awssdk.identity.spi;
    requires software.amazon.awssdk.regions;
    requires software.amazon.awssdk.services.s3;
    requires software.amazon.awssdk.utils;
    requires static transitive org.jspecify;

    exports dev.millrace.models.s3;

    provides dev.millrace.models.store.ObjectStoreProvider with
            dev.millrace.models.s3.S3StoreProvider;
}
