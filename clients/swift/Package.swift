// swift-tools-version:6.0

import PackageDescription

let package = Package(
    name: "latchkey",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [.library(name: "Latchkey", targets: ["Latchkey"])],
    targets: [
        .target(name: "Latchkey", resources: [.copy("PrivacyInfo.xcprivacy")]),
        .testTarget(name: "LatchkeyTests", dependencies: ["Latchkey"]),
    ]
)
