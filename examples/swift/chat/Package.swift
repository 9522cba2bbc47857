// swift-tools-version:6.0

import PackageDescription

let package = Package(
    name: "Chat",
    // For Observation. The client itself needs iOS 15 or macOS 12.
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [.library(name: "Chat", targets: ["Chat"])],
    dependencies: [.package(path: "../../../clients/swift")],
    targets: [
        .target(name: "Chat", dependencies: [.product(name: "Latchkey", package: "swift")]),
        .testTarget(name: "ChatTests", dependencies: ["Chat"]),
    ]
)
